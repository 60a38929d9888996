package queue

import (
	"fmt"
	"testing"

	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// Where a job was a dead letter is shown by itself, in lists and among the first of its tube, also after a restart.
func TestBeen(t *testing.T) {
	w := newWorld(t)
	w.run(`
		policy default deliveries=1 to=graveyard
		a put 0 0 9         -> 1
		a put 0 0 9         -> 2
		a reserve           -> 1
		a release 1 0 0
		a stats-job 1       -> tube=graveyard state=ready`)
	for range 2 {
		list := w.s.Been(1)
		if len(list) != 1 || list[0].From != "default" || list[0].Why != ForReserves || list[0].Reserves != 1 ||
			list[0].When == 0 {
			t.Errorf("it has been in %+v", list)
		}
		want := fmt.Sprint(list)
		if n := w.s.Been(2); n != nil {
			t.Errorf("a job that was nowhere else has been in %+v", n)
		}
		if heads := w.s.Heads(w.now, "graveyard", Ready, 9); len(heads) != 1 || fmt.Sprint(heads[0].Been) != want {
			t.Errorf("the first jobs are %+v", heads)
		}
		for _, k := range w.pages(Filter{}, 9, nil, func() {}) {
			if is := fmt.Sprint(k.Been); k.ID == 1 && is != want || k.ID == 2 && is != "[]" {
				t.Errorf("job %d is listed with %s", k.ID, is)
			}
		}
		w.run("restart")
	}
}

// A job that is too old, and whose tube is full in another shard, ends, as it does in one shard. If only the disk has
// no room, it goes later.
func TestAgedJobsAtAFullTubeElsewhere(t *testing.T) {
	w := newWorld(t)
	w.s.Local = func(tube string) bool { return tube != "far" }
	w.run(`
		policy default expire=3s expired=dead deliveries=9 to=far
		a put 0 0 9 -> 1`)
	w.now += 3 * second
	w.s.Tick(w.now)
	load := func() []Parcel {
		b := &Batch{Ops: []Op{{Kind: Load, Limit: 9}}}
		w.s.Run(w.now, b)
		return b.Parcels
	}
	for i, full := range []uint32{0, 0, 1} {
		p := load()
		if len(p) != 1 || p[0].Cause != ForAge {
			t.Fatalf("%d: %+v leave", i, p)
		}
		b := &Batch{Ops: []Op{{Kind: ComeHome, ID: p[0].Source, Count: full}}}
		if w.s.Run(w.now, b); b.Ops[0].Status != OK {
			t.Fatal(b.Ops[0].Status)
		}
	}
	if p := load(); len(p) != 0 || len(w.log.Jobs) != 0 {
		t.Errorf("%+v leave, the log has %v", p, w.log.Jobs)
	}
	w.s.Leaves = false
	w.run("a peek 1 -> no")
}

// Who refuses an arrival says whether it is the tube that is full.
func TestArrivalsThatAreRefused(t *testing.T) {
	for full, want := range map[queuetest.Fullness]uint32{queuetest.Roomy: 1, queuetest.Full: 0} {
		w := newWorld(t)
		w.run(`
			policy default jobs=1
			policy other jobs=9
			a put 0 0 9 -> 1`)
		w.log.Full = full
		tube := "default"
		if want == 0 {
			tube = "other"
		}
		p := Parcel{Body: [][]byte{[]byte("x")}, Cause: ForAge}
		p.Job = storage.Job{ID: 9, Tube: tube, State: storage.Ready, TTR: 60, Size: 1,
			Item: &storage.Item{Route: &storage.Route{Hops: 1}}}
		b := &Batch{Ops: []Op{{Kind: Arrive}}, Parcels: []Parcel{p}}
		if w.s.Run(w.now, b); b.Ops[0].Status != NoRoom || b.Ops[0].Count != want {
			t.Errorf("%s: the answer is %v, %d, want %d", tube, b.Ops[0].Status, b.Ops[0].Count, want)
		}
	}
}
