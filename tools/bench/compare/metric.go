package compare

import (
	"math"
	"strings"

	"beanfield/tools/bench/load"
)

// A metric is one number of a result that servers are compared by.
type metric string

const (
	throughput  metric = "throughput"
	cpu         metric = "server CPU per operation"
	jobCPU      metric = "server CPU per job"
	p50         metric = "median"
	p99         metric = "p99"
	p999        metric = "p99.9"
	bytesEach   metric = "bytes each"
	resident    metric = "MB resident"
	start       metric = "ms until the first reply"
	recovery    metric = "seconds until it serves all jobs again"
	loadedMB    metric = "highest MB while loading"
	recoveredMB metric = "highest MB after the restart"
	stall       metric = "longest stall of a neighbour, µs"
	stallP999   metric = "p99.9 of a neighbour, µs"
	written     metric = "bytes written for each job"
	onDisk      metric = "MB on the disk at the end"
	peakMB      metric = "highest MB"
)

// metrics says where each is in a result, its unit, and whether it stays the same whoever else uses the processors.
var metrics = map[metric]struct {
	of     func(*load.Result) float64
	unit   string
	steady bool
}{
	throughput: {func(r *load.Result) float64 { return r.OpsPerSec }, "ops/s", false},
	cpu:        {func(r *load.Result) float64 { return r.Server.CPUPerOp }, "µs", false},
	jobCPU:     {func(r *load.Result) float64 { return r.Server.CPUPerOp * float64(r.Load.JobOperations()) }, "µs", false},
	p50:        {func(r *load.Result) float64 { return r.Latency.P50 }, "µs", false},
	p99:        {func(r *load.Result) float64 { return r.Latency.P99 }, "µs", false},
	p999:       {func(r *load.Result) float64 { return r.Latency.P999 }, "µs", false},
	bytesEach:  {func(r *load.Result) float64 { return r.Server.BytesEach }, "bytes", true},
	resident:   {func(r *load.Result) float64 { return mb(r.Server.RSS) }, "MB", true},

	start:    {restart(func(u *load.Recovery) float64 { return u.StartSec * 1e3 }), "ms", false},
	recovery: {recovered(func(u *load.Recovery) float64 { return u.RecoverySec }), "s", false},
	"highest memory of the restart, in steady memories": {recovered((*load.Recovery).Peak), "", true},
	loadedMB:    {recovered(func(u *load.Recovery) float64 { return mb(u.LoadedPeak) }), "MB", true},
	recoveredMB: {recovered(func(u *load.Recovery) float64 { return mb(u.RecoveredPeak) }), "MB", true},

	stall:     {stalled(func(s *load.Stall) float64 { return s.Disturbed.Max }), "µs", false},
	stallP999: {stalled(func(s *load.Stall) float64 { return s.Disturbed.P999 }), "µs", false},

	written: {func(r *load.Result) float64 { return r.Server.WrittenPerOp * float64(r.Load.JobOperations()) }, "bytes", true},
	onDisk:  {func(r *load.Result) float64 { return mb(r.Server.OnDisk) }, "MB", true},
	peakMB:  {func(r *load.Result) float64 { return mb(r.Server.PeakRSS) }, "MB", true},
}

func restart(of func(*load.Recovery) float64) func(*load.Result) float64 {
	return func(r *load.Result) float64 {
		if r.Recovery == nil {
			return math.NaN()
		}
		return of(r.Recovery)
	}
}

// recovered is not a number where there was nothing to recover.
func recovered(of func(*load.Recovery) float64) func(*load.Result) float64 {
	return restart(func(u *load.Recovery) float64 {
		if u.Jobs == 0 {
			return math.NaN()
		}
		return of(u)
	})
}

func stalled(of func(*load.Stall) float64) func(*load.Result) float64 {
	return func(r *load.Result) float64 {
		if r.Stall == nil {
			return math.NaN()
		}
		return of(r.Stall)
	}
}

func (m metric) of(r *load.Result) float64 { return metrics[m].of(r) }

// show is a number with its unit.
func (m metric) show(v float64) string { return strings.TrimSpace(short(v) + " " + metrics[m].unit) }

func (m metric) all(rounds []*load.Result) (v []float64) {
	for _, r := range rounds {
		v = append(v, m.of(r))
	}
	return v
}

// shown are the metrics of a row that say the most.
func (r *row) shown() []metric {
	switch {
	case r.Load.Whole && r.Load.Kind == load.Put:
		return []metric{throughput, cpu, written, onDisk, peakMB}
	case r.Load.Whole:
		return []metric{written} // these rows are there for it
	case r.Load.Waits():
		return []metric{bytesEach}
	case r.Load.Kind == load.Restart && r.Load.Backlog == 0:
		return []metric{start}
	case r.Load.Kind == load.Restart:
		return []metric{recovery, recoveredMB, onDisk}
	case r.Load.Kind == load.Neighbour:
		return []metric{stall, stallP999}
	case r.Half:
		return []metric{cpu, p99}
	}
	return []metric{throughput, cpu}
}

// ratios divides round by round: the two of a round were measured next to each other, so what disturbs the machine for
// minutes cancels out.
func (m metric) ratios(a, b []*load.Result) (q []float64) {
	for i := range min(len(a), len(b)) {
		over := m.of(b[i])
		if over == 0 {
			over = math.NaN()
		}
		q = append(q, m.of(a[i])/over)
	}
	return q
}
