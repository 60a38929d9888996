package generator

import (
	"errors"
	"time"

	"beanfield/tools/bench/result"
)

// ErrNothing need not mean a wrong server: another program may have had the processors.
var ErrNothing = errors.New("nothing was answered during the measurement")

func (r *run) result(t *Tally, calls *syscallCount) (*result.Result, error) {
	ns := float64(r.last.At - r.first.At)
	ops := t.Total()
	if ops == 0 || ns <= 0 {
		return nil, ErrNothing
	}
	res := &result.Result{
		Load: *r.load, Wait: string(r.wait), Seconds: ns / 1e9, Ops: ops, OpsPerSec: float64(ops) / ns * 1e9, Missed: t.missed,
		ByCommand: map[string]uint64{}, Latency: map[string]result.Latency{"all": result.LatencyOf(t.Commands())},
	}
	for op := range measured {
		if h := &t.latency[op]; h.N > 0 {
			res.Latency[op.String()] = result.LatencyOf(h)
		}
		if op < operations && t.ops[op] > 0 {
			res.ByCommand[op.String()] = t.ops[op]
		}
	}
	self := r.last.Self - r.first.Self
	cpu := r.last.Server.CPU - r.first.Server.CPU
	system := r.last.Server.System - r.first.Server.System
	res.GeneratorCPU = float64(self) / ns
	if r.wait == WaitSpin {
		res.GeneratorCPU = max(0, float64(int64(self)-t.vacant)/ns)
	}
	if t.looks > 0 {
		res.Waiting = float64(t.events) / float64(t.looks)
	}
	res.OthersCPU = max(0, float64(r.last.Busy-r.first.Busy-self-cpu)/ns)
	if r.target.PID != 0 {
		perOp := func(d time.Duration) float64 { return float64(d) / float64(ops) / 1e3 }
		res.Server = result.ServerUse{
			CPU: float64(cpu) / ns, CPUPerOp: perOp(cpu), SystemPerOp: perOp(system),
			RSS: r.last.Server.RSS, PeakRSS: r.last.Server.Peak,
			WrittenPerOp: float64(r.last.Written(&r.first)) / float64(ops),
		}
		if calls != nil && calls.operations > 0 {
			res.Server.SyscallsPerOp = calls.calls / calls.operations
		}
	} else {
		res.OthersCPU = 0 // the server is among the others
	}
	return res, nil
}
