package generator

import (
	"errors"

	"beanfield/tools/bench/result"
)

// A Tally is what one loop has counted. Latencies and ops are those of the
// measurement alone; the other numbers are of the whole run, for the audit.
type Tally struct {
	latency [measured]result.Histogram
	ops     [operations]uint64
	closed  bool   // the measurement is over
	missed  uint64 // due in an open loop, but never sent

	vacant     int64  // ns of the measurement that looks without an event took
	looks      uint64 // with events, during the measurement
	events     uint64 // that they found
	everything int64  // replies
	Inserted   int64
	reserved   int64
	deleted    int64
}

func (t *Tally) Add(o *Tally) {
	for i := range t.latency {
		t.latency[i].Merge(&o.latency[i])
	}
	for i := range t.ops {
		t.ops[i] += o.ops[i]
	}
	t.missed += o.missed
	t.vacant += o.vacant
	t.looks += o.looks
	t.events += o.events
	t.everything += o.everything
	t.Inserted += o.Inserted
	t.reserved += o.reserved
	t.deleted += o.deleted
}

// Commands merges the latencies of every kind of command, deliveries left out.
func (t *Tally) Commands() *result.Histogram {
	all := new(result.Histogram)
	for op := range operations {
		all.Merge(&t.latency[op])
	}
	return all
}

func (t *Tally) Total() uint64 {
	var n uint64
	for _, k := range t.ops {
		n += k
	}
	return n
}

// ErrNothing need not mean a wrong server: another program may have had the processors.
var ErrNothing = errors.New("nothing was answered during the measurement")

func (r *run) result(t *Tally) (*result.Result, error) {
	ops := t.Total()
	if ops == 0 || r.last.At <= r.first.At {
		return nil, ErrNothing
	}
	res := result.Between(r.load, string(r.wait), r.target.PID, ops, &r.first, &r.last)
	res.Missed, res.ByCommand = t.missed, map[string]uint64{}
	all := t.Commands()
	if r.load.One() {
		all = &t.latency[opDelivery]
	}
	res.Latency = map[string]result.Latency{"all": result.LatencyOf(all)}
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
	return res, nil
}
