package generator

import (
	"errors"

	"beanfield/tools/bench/result"
)

// ErrNothing need not mean a wrong server: another program may have had the processors.
var ErrNothing = errors.New("nothing was answered during the measurement")

func (r *run) result(t *Tally, calls *syscallCount) (*result.Result, error) {
	ops := t.Total()
	if ops == 0 || r.last.At <= r.first.At {
		return nil, ErrNothing
	}
	res := result.Between(r.load, string(r.wait), r.target.PID, ops, &r.first, &r.last)
	res.Missed, res.ByCommand = t.missed, map[string]uint64{}
	res.Latency = map[string]result.Latency{"all": result.LatencyOf(t.Commands())}
	for op := range measured {
		if h := &t.latency[op]; h.N > 0 {
			res.Latency[op.String()] = result.LatencyOf(h)
		}
		if op < operations && t.ops[op] > 0 {
			res.ByCommand[op.String()] = t.ops[op]
		}
	}
	vacant := int64(0)
	if r.wait == WaitSpin {
		vacant = t.vacant
	}
	res.GeneratorCPU = result.OwnShare(&r.first, &r.last, vacant)
	if t.looks > 0 {
		res.Waiting = float64(t.events) / float64(t.looks)
	}
	if r.target.PID != 0 && calls != nil && calls.operations > 0 {
		res.Server.SyscallsPerOp = calls.calls / calls.operations
	}
	return res, nil
}
