package compare

import (
	"math"
	"strings"

	"beanfield/tools/bench/result"
)

// A metric is one number of a result that servers are compared by.
type metric string

const (
	metricThroughput metric = "throughput"
	metricCPU        metric = "server CPU per operation"
	metricJobCPU     metric = "server CPU per job"
	metricP50        metric = "median"
	metricP99        metric = "p99"
	metricP999       metric = "p99.9"
	metricBytes      metric = "bytes each"

	// Of restarts.
	metricStart        metric = "ms until the first reply"
	metricRecovery     metric = "seconds until it serves all jobs again"
	metricRecoveryPeak metric = "highest memory of the restart, in steady memories"
	metricLoadedMB     metric = "highest MB while loading"
	metricRecoveredMB  metric = "highest MB after the restart"

	metricStall     metric = "longest stall of a neighbour, µs"
	metricStallP999 metric = "p99.9 of a neighbour, µs"

	// Of what is kept on a disk.
	metricWritten metric = "bytes written for each job"
	metricOnDisk  metric = "MB on the disk at the end"
	metricPeakMB  metric = "highest MB"
)

// metrics says where each is in a result, its unit, and whether it stays the same whoever else
// uses the processors.
var metrics = map[metric]struct {
	of     func(*result.Result) float64
	unit   string
	steady bool
}{
	metricThroughput: {func(r *result.Result) float64 { return r.OpsPerSec }, "ops/s", false},
	metricCPU:        {func(r *result.Result) float64 { return r.Server.CPUPerOp }, "µs", false},
	metricJobCPU: {func(r *result.Result) float64 { return r.Server.CPUPerOp * float64(r.Load.JobOperations()) },
		"µs", false},
	metricP50:   {func(r *result.Result) float64 { return r.Latency["all"].P50 }, "µs", false},
	metricP99:   {func(r *result.Result) float64 { return r.Latency["all"].P99 }, "µs", false},
	metricP999:  {func(r *result.Result) float64 { return r.Latency["all"].P999 }, "µs", false},
	metricBytes: {func(r *result.Result) float64 { return r.Server.BytesEach }, "bytes", true},

	metricStart:        {started, "ms", false},
	metricRecovery:     {recovered(func(u *result.Restart) float64 { return u.RecoverySec }), "s", false},
	metricRecoveryPeak: {recovered((*result.Restart).Peak), "", true},
	metricLoadedMB:     {recovered(func(u *result.Restart) float64 { return result.MB(u.LoadedPeak) }), "MB", true},
	metricRecoveredMB:  {recovered(func(u *result.Restart) float64 { return result.MB(u.RecoveredPeak) }), "MB", true},

	metricStall:     {func(r *result.Result) float64 { return r.Stalls.All(result.LongestStall).Median }, "µs", false},
	metricStallP999: {func(r *result.Result) float64 { return r.Stalls.All(result.StallP999).Median }, "µs", false},

	metricWritten: {func(r *result.Result) float64 { return r.Server.WrittenPerOp * float64(r.Load.JobOperations()) },
		"bytes", true},
	metricOnDisk: {func(r *result.Result) float64 { return result.MB(r.Server.OnDisk) }, "MB", true},
	metricPeakMB: {func(r *result.Result) float64 { return result.MB(r.Server.PeakRSS) }, "MB", true},
}

func started(r *result.Result) float64 {
	if r.Restart == nil {
		return math.NaN()
	}
	return r.Restart.StartSec * 1e3
}

// recovered is not a number where there was no restart, or nothing to recover.
func recovered(of func(*result.Restart) float64) func(*result.Result) float64 {
	return func(r *result.Result) float64 {
		if r.Restart == nil || r.Restart.Jobs == 0 {
			return math.NaN()
		}
		return of(r.Restart)
	}
}

func (m metric) of(r *result.Result) float64 { return metrics[m].of(r) }

// show is a number with its unit.
func (m metric) show(v float64) string {
	return strings.TrimSpace(result.Short(v) + " " + metrics[m].unit)
}

func (m metric) all(rounds []*result.Result) []float64 {
	var v []float64
	for _, r := range rounds {
		v = append(v, m.of(r))
	}
	return v
}

// ratios divides round by round: the two of a round were measured next to each
// other, so what disturbs the machine for minutes cancels out.
func ratios(a, b []float64) []float64 {
	var q []float64
	for i := range min(len(a), len(b)) {
		if b[i] == 0 {
			q = append(q, math.NaN())
			continue
		}
		q = append(q, a[i]/b[i])
	}
	return q
}
