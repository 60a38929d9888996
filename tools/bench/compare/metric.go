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

func (m metric) of(r *result.Result) float64 {
	switch m {
	case metricThroughput:
		return r.OpsPerSec
	case metricCPU:
		return r.Server.CPUPerOp
	case metricJobCPU:
		return r.Server.CPUPerOp * float64(r.Load.JobOperations())
	case metricP50:
		return r.Latency["all"].P50
	case metricP99:
		return r.Latency["all"].P99
	case metricP999:
		return r.Latency["all"].P999
	case metricBytes:
		return r.Server.BytesEach
	case metricStall:
		return r.Stalls.All(result.LongestStall).Median
	case metricStallP999:
		return r.Stalls.All(result.StallP999).Median
	case metricWritten:
		return r.Server.WrittenPerOp * float64(r.Load.JobOperations())
	case metricOnDisk:
		return result.MB(r.Server.OnDisk)
	case metricPeakMB:
		return result.MB(r.Server.PeakRSS)
	default:
		return m.ofRestart(r.Restart)
	}
}

// ofRestart is not a number where there was no restart, or nothing to recover.
func (m metric) ofRestart(u *result.Restart) float64 {
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
		return u.Peak()
	case m == metricLoadedMB:
		return result.MB(u.LoadedPeak)
	case m == metricRecoveredMB:
		return result.MB(u.RecoveredPeak)
	}
	return math.NaN()
}

// timed says whether others who use the processors change the metric; memory is not timed.
func (m metric) timed() bool {
	switch m {
	case metricBytes, metricRecoveryPeak, metricLoadedMB, metricRecoveredMB, metricWritten, metricOnDisk, metricPeakMB:
		return false
	}
	return true
}

// show is a number with its unit.
func (m metric) show(v float64) string {
	unit := map[metric]string{
		metricThroughput: "ops/s", metricCPU: "µs", metricJobCPU: "µs", metricP50: "µs", metricP99: "µs", metricP999: "µs", metricBytes: "bytes",
		metricStall: "µs", metricStallP999: "µs", metricWritten: "bytes", metricOnDisk: "MB", metricPeakMB: "MB", metricStart: "ms", metricRecovery: "s", metricLoadedMB: "MB", metricRecoveredMB: "MB",
	}[m]
	return strings.TrimSpace(result.Short(v) + " " + unit)
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
