package main

import (
	"fmt"
	"math"
	"strings"
)

// A metric is one number of a result that servers are compared by.
type metric string

const (
	metricThroughput metric = "throughput"
	metricCPU        metric = "server CPU per operation"
	metricP99        metric = "p99"
	metricP999       metric = "p99.9"
	metricBytes      metric = "bytes each"

	// Of restarts.
	metricStart        metric = "ms until the first reply"
	metricRecovery     metric = "seconds until it serves all jobs again"
	metricRecoveryPeak metric = "highest memory of the restart, in steady memories"
	metricLoadedMB     metric = "highest MB while loading"
	metricRecoveredMB  metric = "highest MB after the restart"

	metricStall metric = "longest stall of a neighbour, µs"
)

func (m metric) of(r *result) float64 {
	switch m {
	case metricThroughput:
		return r.OpsPerSec
	case metricCPU:
		return r.Server.CPUPerOp
	case metricP99:
		return r.Latency["all"].P99
	case metricP999:
		return r.Latency["all"].P999
	case metricBytes:
		return r.Server.BytesEach
	case metricStall:
		return r.Stalls.all(longestStall).Median
	default:
		return m.ofRestart(r.Restart)
	}
}

// ofRestart is not a number where there was no restart, or nothing to recover.
func (m metric) ofRestart(u *restart) float64 {
	switch {
	case u == nil:
		return math.NaN()
	case m == metricStart:
		return u.StartSec * 1e3
	case u.Jobs == 0:
		return math.NaN()
	case m == metricRecovery:
		return u.RecoverySec
	case m == metricRecoveryPeak:
		return u.peak()
	case m == metricLoadedMB:
		return mb(u.LoadedPeak)
	case m == metricRecoveredMB:
		return mb(u.RecoveredPeak)
	}
	return math.NaN()
}

// timed tells that the metric depends on who else uses the processors; memory does not.
func (m metric) timed() bool {
	switch m {
	case metricBytes, metricRecoveryPeak, metricLoadedMB, metricRecoveredMB:
		return false
	}
	return true
}

// show is a number with its unit.
func (m metric) show(v float64) string {
	unit := map[metric]string{
		metricThroughput: "ops/s", metricCPU: "µs", metricP99: "µs", metricP999: "µs", metricBytes: "bytes",
		metricStall: "µs", metricStart: "ms", metricRecovery: "s", metricLoadedMB: "MB", metricRecoveredMB: "MB",
	}[m]
	return strings.TrimSpace(short(v) + " " + unit)
}

func (m metric) all(rounds []*result) []float64 {
	var v []float64
	for _, r := range rounds {
		v = append(v, m.of(r))
	}
	return v
}

// A goal is what beanfield must reach in a row.
type goal struct {
	metric   metric
	bound    float64
	atLeast  bool // else at most
	absolute bool // the number itself; else a ratio
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.bound
	}
	return v <= g.bound
}

func (g goal) String() string {
	word, unit := "at most", " x"
	if g.atLeast {
		word = "at least"
	}
	if g.absolute {
		unit = ""
	}
	return fmt.Sprintf("%s %s%s", word, short(g.bound), unit)
}
