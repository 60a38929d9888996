package result

import (
	"fmt"
	"io"
	"strings"

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

// Print shows one result: a line, and the latencies of each command.
func (r *Result) Print(w io.Writer) {
	fmt.Fprintln(w, strings.TrimSpace(r.Brief()))
	for _, command := range append(commandOrder, "all") {
		if l, ok := r.Latency[command]; ok {
			fmt.Fprintf(w, "%-12s %10d times, µs: mean %.1f, p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, max %.1f\n",
				command, l.N, l.Mean, l.P50, l.P90, l.P99, l.P999, l.Max)
		}
	}
	fmt.Fprintf(w, "server %.2f processors, %.1f MB resident; generator %.2f processors, %.1f answers waiting at a "+
		"look; others %.2f\n",
		r.Server.CPU, MB(r.Server.RSS), r.GeneratorCPU, r.Waiting, r.OthersCPU)
	if r.Missed > 0 {
		fmt.Fprintf(w, "The server could not keep up: %d operations that were due were not answered in time.\n",
			r.Missed)
	}
}
