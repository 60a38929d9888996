package queue

import (
	"bytes"
	"testing"
)

func batchOf(c *Client, ops ...Op) *Batch { return &Batch{Client: c, Ops: ops} }

// A batch stops behind a wait, and goes on from there.
func TestBatchStopsAtWait(t *testing.T) {
	w := newWorld(t)
	a, b := w.user("a"), w.user("b")
	batch := batchOf(&b.client, Op{Kind: Peek, ID: 1}, Op{Kind: Reserve}, Op{Kind: Delete, ID: 1})
	if !w.s.Run(w.now, batch) || batch.Next != 2 || batch.Ops[1].Status != Waiting {
		t.Fatalf("stopped at %d, %+v", batch.Next, batch.Ops[1])
	}
	w.fill(a, 1, 0)
	if !w.s.Run(w.now, batch) || batch.Next != 3 || batch.Ops[2].Status != OK {
		t.Fatalf("went on to %d, %+v", batch.Next, batch.Ops[2])
	}
}

// A batch whose answers grow large is given back in portions.
func TestBatchStopsAtVolume(t *testing.T) {
	for _, size := range []int{100, 2048, 2049, 65535, maxVolume, 3 << 20} {
		w := newWorld(t)
		a := w.user("a")
		body := bytes.Repeat([]byte("x"), size)
		a.apply(Op{Kind: Put, ID: 1, TTR: 1, Data: body, Size: uint32(size)})
		const n = 300
		batch := batchOf(&a.client)
		for range n {
			batch.Ops = append(batch.Ops, Op{Kind: Peek, ID: 1})
		}
		for {
			from := batch.Next
			batch.Bytes = batch.Bytes[:0]
			if !w.s.Run(w.now, batch) {
				t.Fatal("peek does not come in slices")
			}
			if got := (batch.Next - from) * size; got > maxVolume+size {
				t.Fatalf("a portion of %d bytes in bodies of %d", got, size)
			}
			if batch.Next == n {
				break
			}
			if (batch.Next-from)*size <= maxVolume {
				t.Fatalf("a portion of only %d bodies of %d", batch.Next-from, size)
			}
		}
	}
}

func TestRetain(t *testing.T) {
	buffer := []byte("firstsecondthird")
	b := &Batch{Ops: []Op{{Data: buffer[:5]}, {Data: buffer[5:11]}, {}, {Data: buffer[11:]}}, Next: 1}
	b.Retain()
	copy(buffer, "................")
	if string(b.Ops[1].Data) != "second" || len(b.Ops[2].Data) != 0 || string(b.Ops[3].Data) != "third" {
		t.Errorf("retained %q %q %q", b.Ops[1].Data, b.Ops[2].Data, b.Ops[3].Data)
	}
	if string(b.Ops[0].Data) != "....." {
		t.Error("what has been applied needs no copy")
	}
	// Each keeps to its own: an append must not run into the next.
	b.Ops[1].Data = append(b.Ops[1].Data, '!')
	if string(b.Ops[3].Data) != "third" {
		t.Errorf("an append changed its neighbour to %q", b.Ops[3].Data)
	}
	own := &b.own[0]
	b.Retain()
	if &b.own[0] != own || string(b.Ops[3].Data) != "third" {
		t.Error("a second Retain copies again")
	}
}

// B1: an operation that has been applied has let go of what it had borrowed; answers stay.
func TestAppliedOperationsLetGo(t *testing.T) {
	w := newWorld(t)
	buffer, large := []byte("defaultsmall"), [][]byte{make([]byte, 5000)}
	b := &Batch{Client: &w.user("a").client, Ops: []Op{
		{Kind: Use, Data: buffer[:7]}, {Kind: Watch, Data: buffer[:7]},
		{Kind: Put, ID: 1, Pri: 1, TTR: 9, Size: 5, Data: buffer[7:]}, {Kind: Put, ID: 2, TTR: 9, Size: 5000,
			Parts: large},
		{Kind: StatsTube, Data: buffer[:7]}, {Kind: Pause, Data: buffer[:7]}, {Kind: Pause, Data: []byte("none")},
		{Kind: Peek, ID: 2}, {Kind: Reserve}, {Kind: Reserve}, {Kind: Reserve}, {Kind: Pause, Data: buffer[:7]},
	}}
	w.s.Run(w.now, b)
	for i := range b.Ops {
		op := &b.Ops[i]
		if kept := op.Data != nil; kept != (i >= b.Next && op.Kind == Pause) {
			t.Errorf("operation %d, %v, still has its data: %t", i, op.Kind, kept)
		}
		if answer := op.Parts != nil; answer != (op.Kind == Peek || op.Kind == Reserve && op.ID == 2) {
			t.Errorf("operation %d, %v, has parts: %t", i, op.Kind, answer)
		}
	}
}

func TestReset(t *testing.T) {
	b := &Batch{
		Client: &Client{}, Ops: make([]Op, 3, 8), Next: 2, Bytes: make([]byte, 4, 16),
		Jobs: make([]JobInfo, 1, 2), Tubes: make([]TubeInfo, 1, 2), Sums: Sums{Ready: 1}, Soonest: 5, volume: 7,
	}
	b.Ops[0].Data, b.Jobs[0].Tube, b.Tubes[0].Name = []byte("x"), "x", "x"
	b.Retain()
	ops, jobs, tubes := b.Ops, b.Jobs, b.Tubes
	b.Reset()
	if b.Client != nil || len(b.Ops) != 0 || b.Next != 0 || len(b.Bytes) != 0 || b.Sums != (Sums{}) ||
		b.Soonest != 0 || b.volume != 0 || b.retained || len(b.Jobs) != 0 || len(b.Tubes) != 0 || b.Done != nil {
		t.Errorf("not empty: %+v", b)
	}
	if cap(b.Ops) != 8 || cap(b.Bytes) != 16 || cap(b.Jobs) != 2 || cap(b.Tubes) != 2 {
		t.Error("Reset has thrown memory away")
	}
	if ops[0].Data != nil || jobs[0].Tube != "" || tubes[0].Name != "" {
		t.Error("a batch that is not used keeps hold of others' memory")
	}
	b.Ops = append(b.Ops, Op{Data: []byte("again")})
	b.Retain()
	if string(b.Ops[0].Data) != "again" {
		t.Error("a batch that was reset cannot retain")
	}
}

// Operations that belong to no client work without one.
func TestWithoutClient(t *testing.T) {
	w := newWorld(t)
	w.run("a put 5 0 60 -> 1\n a put 5 0 60 -> 2\n a put 5 9 60 -> 3\n b poll -> 1")
	for _, c := range []struct {
		op   Op
		want Status
	}{
		{Op{Kind: Peek, ID: 1}, OK},
		{Op{Kind: Delete, ID: 1}, NotFound},
		{Op{Kind: Delete, ID: 2}, OK},
		{Op{Kind: KickJob, ID: 3}, OK},
		{Op{Kind: StatsJob, ID: 3}, OK},
		{Op{Kind: StatsTube, Data: []byte("default")}, OK},
		{Op{Kind: Totals}, OK},
		{Op{Kind: Touch, ID: 1}, NotFound},
		{Op{Kind: Release, ID: 1}, NotFound},
		{Op{Kind: Bury, ID: 1}, NotFound},
		{Op{Kind: Pause, Data: []byte("default")}, OK},
	} {
		b := &Batch{Ops: []Op{c.op}}
		w.s.Apply(w.now, b, &b.Ops[0])
		if b.Ops[0].Status != c.want || b.Soonest != 0 {
			t.Errorf("operation %d of nobody: %v, soonest %d", c.op.Kind, b.Ops[0].Status, b.Soonest)
		}
	}
}

func TestUnknownOperationPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an operation that does not exist is a programmer's mistake")
		}
	}()
	newWorld(t).s.Apply(1, &Batch{}, &Op{})
}

func TestStateNames(t *testing.T) {
	for state, want := range map[JobState]string{
		Ready: "ready", Delayed: "delayed", Reserved: "reserved", Buried: "buried", 0: "invalid",
	} {
		if state.String() != want {
			t.Errorf("state %d is called %q", state, state)
		}
	}
}
