package result

import (
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
)

// Between is the result of so many operations between two moments, with what the server
// with this process, if it is known, spent on them.
func Between(ld *load.Load, wait string, pid int, ops uint64, first, last *machine.Moment) *Result {
	ns := float64(last.At - first.At)
	r := &Result{Load: *ld, Wait: wait, Seconds: ns / 1e9, Ops: ops, OpsPerSec: float64(ops) / ns * 1e9}
	if pid == 0 {
		return r // the server is among the others
	}
	cpu := last.Server.CPU - first.Server.CPU
	each := func(d time.Duration) float64 { return float64(d) / float64(ops) / 1e3 }
	r.OthersCPU = max(0, float64(last.Others(first))/ns)
	r.Server = ServerUse{
		CPU: float64(cpu) / ns, CPUPerOp: each(cpu), SystemPerOp: each(last.Server.System - first.Server.System),
		RSS: last.Server.RSS, PeakRSS: last.Server.Peak,
		WrittenPerOp: float64(last.Written(first)) / float64(ops),
	}
	return r
}

// OwnShare is the share of a processor that this program used between two moments, without
// so many nanoseconds of looks in vain.
func OwnShare(first, last *machine.Moment, vacant int64) float64 {
	return max(0, float64(int64(last.Self-first.Self)-vacant)/float64(last.At-first.At))
}
