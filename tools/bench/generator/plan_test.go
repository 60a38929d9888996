package generator

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/storage/must"
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
			if c.op != want || req.kind(k) != want {
				t.Errorf("batch %d, reply %d: %v answers %v, want %v", i, k, c.op, req.kind(k), want)
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

// The floor must carry what the queue carries: the same requests, and replies that
// are about as long.
func TestEchoOfCyclesIsAboutAsLong(t *testing.T) {
	change := func(ld *load.Load) { ld.Kind, ld.Depth, ld.Body = load.KindCycles, 16, load.Sizes(100, 100) }
	l, c := awaiting(opPut, 0, change)
	l.run.target.Echo = true
	c.plan = l.run.plan(0, newRequests(l.run.load))
	for range 2 {
		req, _ := c.plan.next(c, 1)
		c.outstanding(req, 1)
	}
	if c.op != opEcho || c.left != 48 {
		t.Fatalf("%d commands of kind %v are outstanding, want 48 of echo", c.left, c.op)
	}
	reply := fmt.Sprintf("INSERTED %d\r\nRESERVED %d 100\r\n%s\r\nDELETED\r\n", echoID, echoID, strings.Repeat("x", 100))
	if sent, want := len(c.echo), 16*len(reply); sent < want*19/20 || sent > want*21/20 {
		t.Errorf("the echo of a write has %d bytes, the replies of a queue %d", sent, want)
	}
	sent := c.echo
	for _, part := range [][]byte{sent[:1], sent[1:2000], sent[2000:]} {
		if l.tally.ops[opEcho] != 0 {
			t.Error("counted before all of it was back")
		}
		c.ids = c.ids[:0] // so that the connection rests once it is answered
		must.Do(t, arrive(l, c, string(part)))
	}
	if c.left != 0 || l.tally.ops[opEcho] != 48 || l.tally.latency[opEcho].N != 48 {
		t.Errorf("%d to come, %d counted", c.left, l.tally.ops[opEcho])
	}
}
