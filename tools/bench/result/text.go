package result

import (
	"fmt"
	"io"

	"beanfield/tools/bench/machine"
)

// Brief is the result in one line.
func (r *Result) Brief() string {
	if r.Restart != nil {
		return r.Restart.String() + r.disturbance()
	}
	if r.Stalls != nil {
		return r.Stalls.String() + r.disturbance()
	}
	if r.Server.BytesEach != 0 {
		return fmt.Sprintf("%.0f bytes each", r.Server.BytesEach)
	}
	note := ""
	if r.GeneratorBound() {
		note = "  generator-bound"
	}
	note += r.disturbance()
	return fmt.Sprintf("%9.0f ops/s %6.2f µs CPU/op  p50 %.0f p99 %.0f p99.9 %.0f µs%s", r.OpsPerSec, r.Server.CPUPerOp,
		r.Latency["all"].P50, r.Latency["all"].P99, r.Latency["all"].P999, note)
}

func (r *Result) disturbance() string {
	if r.OthersCPU <= machine.OthersAllowed {
		return ""
	}
	return fmt.Sprintf("  disturbed: others use %.2f processors", r.OthersCPU)
}

// commandOrder is how latencies are listed.
var commandOrder = []string{"put", "reserve", "delete", "use", "reserve-job", "delivery"}

func (r *Result) Print(w io.Writer) {
	if r.Restart != nil {
		fmt.Fprintln(w, r.Restart)
		return
	}
	if r.Stalls != nil {
		fmt.Fprintln(w, r.Stalls.String()+r.disturbance())
		return
	}
	if r.Server.BytesEach != 0 {
		fmt.Fprintf(w, "%.0f bytes each, %.1f MB resident (peak %.1f)\n", r.Server.BytesEach, MB(r.Server.RSS), MB(r.Server.PeakRSS))
		return
	}
	fmt.Fprintf(w, "%.0f ops/s, %d operations in %.2f s\n", r.OpsPerSec, r.Ops, r.Seconds)
	fmt.Fprintf(w, "%-12s %10s %10s %10s %10s %10s %10s %10s\n", "latency, µs", "count", "mean", "p50", "p90", "p99", "p99.9", "max")
	row := func(name string) {
		if l, ok := r.Latency[name]; ok {
			fmt.Fprintf(w, "  %-10s %10d %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f\n", name, l.N, l.Mean, l.P50, l.P90, l.P99, l.P999, l.Max)
		}
	}
	for _, command := range commandOrder {
		row(command)
	}
	row("all")
	if s := r.Server; s.RSS > 0 {
		fmt.Fprintf(w, "server     %.2f processors, %.2f µs per operation (system about %.2f), %.1f MB resident\n", s.CPU, s.CPUPerOp, s.SystemPerOp, MB(s.RSS))
	}
	fmt.Fprintf(w, "generator  %.2f processors, %.1f answers waiting at a look; others %.2f\n", r.GeneratorCPU, r.Waiting, r.OthersCPU)
	if r.GeneratorBound() {
		fmt.Fprintln(w, "The generator was the bottleneck: the server could have done more.")
	}
	if r.Missed > 0 {
		fmt.Fprintf(w, "The server could not keep up: %d operations that were due were not answered in time.\n", r.Missed)
	}
}
