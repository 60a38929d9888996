package main

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// A result is what one measurement found; it is also the form of -json.
type result struct {
	Load      load               `json:"load"`
	Seconds   float64            `json:"seconds"`
	Ops       uint64             `json:"ops"`
	OpsPerSec float64            `json:"ops_per_s"`
	ByCommand map[string]uint64  `json:"ops_by_command,omitempty"`
	Latency   map[string]latency `json:"latency,omitempty"` // "all" and each command
	Missed    uint64             `json:"missed,omitempty"`  // due in an open loop, never sent
	Server    serverUse          `json:"server"`
	Restart   *restart           `json:"restart,omitempty"`
	Stalls    *stalls            `json:"stalls,omitempty"`
	// GeneratorCPU and OthersCPU are in processors: 1 is one of them all the time. A
	// generator that spins has its looks in vain left out.
	GeneratorCPU float64 `json:"generator_cpu"`
	OthersCPU    float64 `json:"others_cpu"`
	// Waiting is how many connections had an answer waiting, on average, whenever the
	// generator looked: near 1 it keeps up with the server, near all it does not.
	Waiting float64 `json:"generator_waiting"`
}

// A latency holds microseconds.
type latency struct {
	N    uint64  `json:"n"`
	Mean float64 `json:"mean_us"`
	P50  float64 `json:"p50_us"`
	P90  float64 `json:"p90_us"`
	P99  float64 `json:"p99_us"`
	P999 float64 `json:"p999_us"`
	Max  float64 `json:"max_us"`
}

// serverUse is zero where the server's process is not known.
type serverUse struct {
	CPU           float64 `json:"cpu"`           // processors
	CPUPerOp      float64 `json:"cpu_us_per_op"` // microseconds
	SystemPerOp   float64 `json:"system_us_per_op"`
	RSS           int64   `json:"rss_bytes"`
	PeakRSS       int64   `json:"peak_rss_bytes"`
	SyscallsPerOp float64 `json:"syscalls_per_op,omitempty"`
	BytesEach     float64 `json:"bytes_each,omitempty"` // memory, idle: of each job, connection
}

func latencyOf(h *histogram) latency {
	us := func(ns int64) float64 { return float64(ns) / 1e3 }
	return latency{
		N: h.n, Mean: h.mean() / 1e3, P50: us(h.quantile(0.5)), P90: us(h.quantile(0.9)),
		P99: us(h.quantile(0.99)), P999: us(h.quantile(0.999)), Max: us(h.max),
	}
}

// errNothing is not a wrong answer: somebody may have kept the processors.
var errNothing = errors.New("nothing was answered during the measurement")

func (r *run) result(t *tally, calls *syscallCount) (*result, error) {
	ns := float64(r.last.at - r.first.at)
	ops := t.total()
	if ops == 0 || ns <= 0 {
		return nil, errNothing
	}
	res := &result{
		Load: *r.load, Seconds: ns / 1e9, Ops: ops, OpsPerSec: float64(ops) / ns * 1e9, Missed: t.missed,
		ByCommand: map[string]uint64{}, Latency: map[string]latency{"all": latencyOf(t.commands())},
	}
	for op := range measured {
		if h := &t.latency[op]; h.n > 0 {
			res.Latency[op.String()] = latencyOf(h)
		}
		if op < operations && t.ops[op] > 0 {
			res.ByCommand[op.String()] = t.ops[op]
		}
	}
	self := r.last.self - r.first.self
	cpu := r.last.server.cpu - r.first.server.cpu
	system := r.last.server.system - r.first.server.system
	res.GeneratorCPU = float64(self) / ns
	if r.spin {
		res.GeneratorCPU = max(0, float64(int64(self)-t.vacant)/ns)
	}
	if t.looks > 0 {
		res.Waiting = float64(t.events) / float64(t.looks)
	}
	res.OthersCPU = max(0, float64(r.last.busy-r.first.busy-self-cpu)/ns)
	if r.target.pid != 0 {
		perOp := func(d time.Duration) float64 { return float64(d) / float64(ops) / 1e3 }
		res.Server = serverUse{
			CPU: float64(cpu) / ns, CPUPerOp: perOp(cpu), SystemPerOp: perOp(system),
			RSS: r.last.server.rss, PeakRSS: r.last.server.peak,
		}
		if calls != nil && calls.operations > 0 {
			res.Server.SyscallsPerOp = calls.calls / calls.operations
		}
	} else {
		res.OthersCPU = 0 // the server is among the others
	}
	return res, nil
}

// generatorBound tells that the generator was always busy while answers waited for
// it: more would have been possible. Processor time alone does not tell, since a
// generator that keeps up is busy as well, with more and shorter looks.
func (r *result) generatorBound() bool {
	conns := float64(r.Load.Connections)
	return r.Load.Rate == 0 && conns >= 8 && r.GeneratorCPU > 0.95 && r.Waiting > conns/4
}

// brief is the result in one line.
func (r *result) brief() string {
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
	if r.generatorBound() {
		note = "  generator-bound"
	}
	note += r.disturbance()
	return fmt.Sprintf("%9.0f ops/s %6.2f µs CPU/op  p50 %.0f p99 %.0f p99.9 %.0f µs%s", r.OpsPerSec, r.Server.CPUPerOp,
		r.Latency["all"].P50, r.Latency["all"].P99, r.Latency["all"].P999, note)
}

func (r *result) disturbance() string {
	if r.OthersCPU <= disturbed {
		return ""
	}
	return fmt.Sprintf("  disturbed: others use %.2f processors", r.OthersCPU)
}

func (r *result) print(w io.Writer) {
	if r.Restart != nil {
		fmt.Fprintln(w, r.Restart)
		return
	}
	if r.Stalls != nil {
		fmt.Fprintln(w, r.Stalls.String()+r.disturbance())
		return
	}
	if r.Server.BytesEach != 0 {
		fmt.Fprintf(w, "%.0f bytes each, %.1f MB resident (peak %.1f)\n", r.Server.BytesEach, mb(r.Server.RSS), mb(r.Server.PeakRSS))
		return
	}
	fmt.Fprintf(w, "%.0f ops/s, %d operations in %.2f s\n", r.OpsPerSec, r.Ops, r.Seconds)
	fmt.Fprintf(w, "%-12s %10s %10s %10s %10s %10s %10s %10s\n", "latency, µs", "count", "mean", "p50", "p90", "p99", "p99.9", "max")
	row := func(name string) {
		if l, ok := r.Latency[name]; ok {
			fmt.Fprintf(w, "  %-10s %10d %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f\n", name, l.N, l.Mean, l.P50, l.P90, l.P99, l.P999, l.Max)
		}
	}
	for op := range measured {
		row(op.String())
	}
	row("all")
	if s := r.Server; s.RSS > 0 {
		fmt.Fprintf(w, "server     %.2f processors, %.2f µs per operation (system about %.2f), %.1f MB resident", s.CPU, s.CPUPerOp, s.SystemPerOp, mb(s.RSS))
		if s.SyscallsPerOp > 0 {
			fmt.Fprintf(w, ", %.2f system calls per operation", s.SyscallsPerOp)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "generator  %.2f processors, %.1f answers waiting at a look; others %.2f\n", r.GeneratorCPU, r.Waiting, r.OthersCPU)
	if r.generatorBound() {
		fmt.Fprintln(w, "The generator was the bottleneck: the server could have done more.")
	}
	if r.Missed > 0 {
		fmt.Fprintf(w, "The server could not keep up: %d operations that were due were not answered in time.\n", r.Missed)
	}
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
