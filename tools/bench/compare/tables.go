package compare

import (
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// What a server writes.
const diskHead = "## On the disk\n\n" +
	"What a server wrote while it was measured is what the kernel counts for its process or for its disk, whichever is less. " +
	"The bare loop with a log reads all that is ready, makes one write and one sync, and answers; it recovers nothing and never tidies up.\n\n" +
	"| load | server | CPU µs/job | bytes written/job | MB on the disk | highest MB |\n" +
	"|---|---|--:|--:|--:|--:|\n"

// onDisk leaves out the rows that have tables of their own.
func (r *rowResult) onDisk() bool {
	return r.row.class != "" && r.row.class != classMemory && !r.restarts() && !r.stalls()
}

func (r *rowResult) diskCells(p *peerResult) []string {
	if p.Absent != "" {
		return nil
	}
	return []string{
		p.middle(metricJobCPU.of), p.middle(metricWritten.of), p.middle(metricOnDisk.of), p.middle(metricPeakMB.of),
	}
}

// A restart has numbers of its own, and so its rows have a table of their own.
const restartHead = "## Restarts\n\n" +
	"Nothing is pinned. A server is started without data, filled, ended with SIGTERM and started again. " +
	"Recovery lasts from the second start to the reply that counts every job; the memory after it is read when the server has settled, the highest is its VmHWM.\n\n" +
	"| load | server | start ms | load s | RSS MB | highest MB | end s | recovery s | × beanstalkd | highest MB | RSS MB |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

func (r *rowResult) restarts() bool { return r.row.load.Kind == load.KindRestart }

func (r *rowResult) restartCells(p *peerResult) []string {
	mid := func(of func(*result.Restart) float64) string {
		return p.middle(func(res *result.Result) float64 { return of(res.Restart) })
	}
	against := r.versus(metricRecovery, p, r.baseline())
	if p == r.baseline() && r.row.load.Backlog == 0 {
		against = "–"
	}
	return []string{
		p.middle(metricStart.of),
		mid(func(u *result.Restart) float64 { return u.LoadSec }),
		mid(func(u *result.Restart) float64 { return result.MB(u.LoadedRSS) }), p.middle(metricLoadedMB.of),
		mid(func(u *result.Restart) float64 { return u.StopSec }), p.middle(metricRecovery.of), against,
		p.middle(metricRecoveredMB.of), mid(func(u *result.Restart) float64 { return result.MB(u.RecoveredRSS) }),
	}
}

// Stalls have numbers of their own, and so their rows have a table of their own.
const stallHead = "## Stalls\n\n" +
	"One connection puts, reserves and deletes 100 bytes in a tube of its own, on a server with one shard, for a second in peace and then while others do what the row says. " +
	"All numbers are medians (smallest–largest).\n\n" +
	"| beside it | server | longest stall µs | × beanstalkd | p99.9 µs | longest in peace µs | p99.9 in peace µs | took s | server worked µs | generator away µs | bare loop µs |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

func (r *rowResult) stalls() bool { return r.row.load.Kind == load.KindNeighbour }

func (r *rowResult) stallCells(p *peerResult) []string {
	all := result.Stalls{}
	for _, res := range p.Rounds {
		all.Each = append(all.Each, res.Stalls.Each...)
	}
	bare := "–"
	if us := p.bare(); us > 0 {
		bare = result.Short(us)
	}
	of := func(number func(*result.Stall) float64) string { return all.All(number).String() }
	return []string{
		of(result.LongestStall), r.versus(metricStall, p, r.baseline()), of(result.StallP999), of(result.LongestPeace),
		of(result.PeaceP999),
		of(result.StallTook), of(result.StallWork), of(result.StallAway), bare,
	}
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
	return result.SpreadOf(all).Median
}
