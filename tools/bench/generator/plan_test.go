package generator

import (
	"testing"

	"beanfield/tools/bench/load"
)

// What whole cycles look like on the wire: the first write cannot delete yet, each
// further one deletes what the one before reserved, the last does nothing else.
func TestCyclesInOneWrite(t *testing.T) {
	_, c := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Depth = load.KindCycles, 2 })
	const put = "put 1024 0 60 20\r\nabcdefghijklmnopqrst\r\n"
	for i, step := range []struct {
		ending bool
		held   []uint64 // what the batch before reserved
		want   string
		kinds  []operation
	}{
		{false, nil, put + "reserve\r\n" + put + "reserve\r\n", []operation{opPut, opReserve, opPut, opReserve}},
		{
			false, []uint64{5, 12}, put + "reserve\r\ndelete 5\r\n" + put + "reserve\r\ndelete 12\r\n",
			[]operation{opPut, opReserve, opDelete, opPut, opReserve, opDelete},
		},
		{true, []uint64{13, 6}, "delete 13\r\ndelete 6\r\n", []operation{opDelete, opDelete}},
	} {
		c.ids, c.ending = append(c.ids, step.held...), step.ending
		req, ok := c.plan.next(c, 1)
		if !ok || string(req.bytes) != step.want || req.n != len(step.kinds) {
			t.Errorf("batch %d: %v, %d commands, %q", i, ok, req.n, req.bytes)
		}
		c.outstanding(req, 1)
		for k, want := range step.kinds {
			if c.op != want {
				t.Errorf("batch %d, reply %d: of %v, want %v", i, k, c.op, want)
			}
			c.passed()
		}
		if c.left != 0 || len(c.ids) != 0 {
			t.Errorf("batch %d: %d to come, still holds %v", i, c.left, c.ids)
		}
	}
	if !c.plan.rest(c) {
		t.Error("nothing is held, and the connection may not stop")
	}
	if c.ids = append(c.ids, 7); c.plan.rest(c) {
		t.Error("a job is held, and the connection may stop")
	}
}
