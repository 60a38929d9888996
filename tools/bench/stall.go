package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Stalls are what a neighbour saw of a disturbance, each time.
type stalls struct {
	By   string  `json:"by"`
	Each []stall `json:"each"`
	// BareUs is how long a client of a server that does nothing waited at most, on the
	// same processors, as long and right after; 0 where that was not looked at.
	BareUs float64 `json:"bare_us,omitempty"`
}

// A stall is what it saw of one. Latencies are microseconds; the longest stall is the
// longest of them.
type stall struct {
	Peace   latency `json:"peace"`
	Stormy  latency `json:"disturbed"`
	TookSec float64 `json:"took_s"`
	// AwayUs is the longest time in which the generator itself did not look for an
	// answer: so much of a stall may be its own.
	AwayUs float64 `json:"generator_away_us"`
	// WorkUs is the most that the server worked, on all its threads, while one answer was
	// awaited and looked for. A stall that is much longer is that of a server which waited
	// for a disk, or for a processor that somebody else had.
	WorkUs float64 `json:"server_worked_us"`
}

func newStall(calm, stormy *histogram, took time.Duration, away, work int64) *stall {
	return &stall{
		Peace: latencyOf(calm), Stormy: latencyOf(stormy),
		TookSec: took.Seconds(), AwayUs: float64(away) / 1e3, WorkUs: float64(work) / 1e3,
	}
}

func (s *stall) String() string {
	return fmt.Sprintf("longest %.0f µs, p99.9 %.0f, in peace %.0f and %.0f; it took %.3f s; while it waited, the server worked %.0f µs and the generator was away %.0f µs at most",
		s.Stormy.Max, s.Stormy.P999, s.Peace.Max, s.Peace.P999, s.TookSec, s.WorkUs, s.AwayUs)
}

// all is one number of each.
func (s *stalls) all(of func(*stall) float64) spread {
	if s == nil {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	var v []float64
	for i := range s.Each {
		v = append(v, of(&s.Each[i]))
	}
	return spreadOf(v)
}

func longestStall(s *stall) float64 { return s.Stormy.Max }
func longestPeace(s *stall) float64 { return s.Peace.Max }
func stallP999(s *stall) float64    { return s.Stormy.P999 }
func peaceP999(s *stall) float64    { return s.Peace.P999 }
func stallTook(s *stall) float64    { return s.TookSec }
func stallWork(s *stall) float64    { return s.WorkUs }
func stallAway(s *stall) float64    { return s.AwayUs }

// lasted is how long the disturbances were measured.
func (s *stalls) lasted() time.Duration {
	var sum time.Duration
	for i := range s.Each {
		sum += time.Duration(s.Each[i].TookSec*float64(time.Second)) + aftermath
	}
	return sum
}

func (s *stalls) String() string {
	return fmt.Sprintf("longest stall %s µs, p99.9 %s µs; in peace %s and %s µs; it took %s s; the server worked %s µs",
		s.all(longestStall), s.all(stallP999), s.all(longestPeace), s.all(peaceP999), s.all(stallTook), s.all(stallWork))
}

// Stalls have numbers of their own, and so their rows have a table of their own.
const stallHead = "## Stalls\n\n" +
	"One connection puts, reserves and deletes 100 bytes in a tube of its own, on a server with one shard, for a second in peace and then while others do what the row says. " +
	"All numbers are medians (smallest–largest).\n\n" +
	"| beside it | server | longest stall µs | × beanstalkd | p99.9 µs | longest in peace µs | p99.9 in peace µs | took s | server worked µs | generator away µs | bare echo µs |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

func (r *rowResult) stalls() bool { return r.row.load.Kind == kindNeighbour }

func (r *rowResult) stallLine(b *strings.Builder, p *peerResult) {
	if p.Absent != "" {
		fmt.Fprintf(b, "| %s | %s | did not start | | | | | | | | |\n", r.Title, p.Name)
		return
	}
	all := stalls{}
	for _, res := range p.Rounds {
		all.Each = append(all.Each, res.Stalls.Each...)
	}
	bare := "–"
	if us := p.bare(); us > 0 {
		bare = short(us)
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Title, p.Name,
		all.all(longestStall), r.versus(metricStall, p, r.baseline()), all.all(stallP999), all.all(longestPeace), all.all(peaceP999),
		all.all(stallTook), all.all(stallWork), all.all(stallAway), bare)
}

// bare is the median of what a bare server's client waited, 0 where there was none.
func (p *peerResult) bare() float64 {
	var all []float64
	for _, res := range p.Rounds {
		if res.Stalls != nil {
			all = append(all, res.Stalls.BareUs)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return spreadOf(all).Median
}
