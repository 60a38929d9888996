package generator

import (
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
