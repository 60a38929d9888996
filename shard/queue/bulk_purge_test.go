package queue

import (
	"strings"
	"testing"

	"beanfield/storage"
)

// newPurgeWorld makes one in which each truncate is a purge, and graves stay as they are.
func newPurgeWorld(t *testing.T) *world {
	w := newWorld(t)
	w.leastPurge, w.purgeShare = 1, -1
	w.s.LeastPurge, w.s.PurgeShare = 1, -1
	return w
}

// empty has all graves emptied, and looks whether the log has no trace of them.
func (w *world) empty() {
	w.t.Helper()
	w.s.PurgeShare = 0
	for w.s.graving() {
		w.s.Tick(w.now)
	}
	w.s.PurgeShare = w.purgeShare
	if err := w.s.Check(); err != nil {
		w.t.Fatal(err)
	}
	if n := int(w.s.index.N); n != len(w.log.Jobs) || len(w.log.Queues) > 0 || len(w.s.notes) > 0 {
		w.t.Fatalf("%d jobs are left, %d in the log, and the notes %v, in the log %v", n, len(w.log.Jobs), w.s.notes,
			w.log.Queues)
	}
}

// GR1, GR2: From the answer on nobody sees a job that a purge has ended, whatever asks for it, while the log has it
// still, and also after a restart. What comes later, and what somebody held, stays.
func TestPurge(t *testing.T) {
	for name, steps := range purgeScripts {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			w.run("a use mail\n b watch mail\n b ignore default")
			w.run(strings.NewReplacer("{ended}", endedJobs, "{gone}", goneJobs).Replace(steps))
			if name != "keys are free, and windows go on" {
				w.empty()
				w.run("restart")
				w.empty()
			}
		})
	}
}

// A put that has its id from before a purge, and its body from after it, stays: it was answered later.
func TestPurgeSparesLatePuts(t *testing.T) {
	w := newPurgeWorld(t)
	a := w.user("a")
	w.lastID = 5
	for _, id := range []uint64{5, 4, 3} {
		w.bodies[id] = "x"
		if id == 3 {
			w.run("b truncate default -> 2")
		}
		a.apply(Op{Kind: Put, ID: id, TTR: 60, Data: []byte("x"), Size: 1})
	}
	w.run(`
		restart
		a peek 4 -> no
		a peek 3 -> 3
		a truncate default -> 1
		restart
		a peek 3 -> no`)
	w.empty()
}

// Jobs of other shards that are arriving when their tube is purged are shown later, and so are those that were
// there before and come again. The tube counts what it has.
func TestPurgeSparesTravellers(t *testing.T) {
	w := newPurgeWorld(t)
	w.run("a put 5 0 60 -> 1\n a put 5 0 60 -> 2\n a put 5 0 60 -> 3")
	arrive := func(id uint64) uint64 {
		p := Parcel{Body: [][]byte{[]byte("body of 9")}}
		p.Job = storage.Job{ID: id, Tube: "default", State: storage.Ready, TTR: 60, Size: 9,
			Item: &storage.Item{Route: &storage.Route{Hops: 1}}}
		w.bodies[id] = "body of 9"
		b := &Batch{Ops: []Op{{Kind: Arrive}}, Parcels: []Parcel{p}}
		if w.s.Run(w.now, b); b.Ops[0].Status != OK {
			t.Fatalf("the job has not arrived: %d", b.Ops[0].Status)
		}
		return b.Ops[0].ID
	}
	u := w.user("b")
	do := func(want string, verb string, arg string) { // without a look at the log, where these jobs have other keys
		t.Helper()
		if got := u.do(verb, []string{arg}); got != want {
			t.Errorf("%s %s is answered %q, want %q", verb, arg, got, want)
		}
		if err := w.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
	w.lastID = 11
	early := arrive(9)
	do("3", "truncate", "default")
	late := arrive(10)
	if got := w.s.tubes["default"]; got.count != 2 || got.bytes != 18 {
		t.Errorf("the tube has %d jobs of %d bytes", got.count, got.bytes)
	}
	again := func() {
		w.replay() // nobody has another copy of what has come: it is there
		u = w.user("b")
	}
	again()
	do("9", "peek", "9")
	do("10", "peek", "10")
	do("no", "peek", "1")
	if storage.IDOf(early) == early || storage.IDOf(late) == late {
		t.Error("the jobs have not come from elsewhere")
	}
	do("2", "truncate", "default")
	again()
	do("no", "peek", "9")
	do("no", "peek", "10")
	w.empty()
}

// Of a job that a purge has ended, and whose record goes before there are clients, nothing is left.
func TestPurgedJobsGoFromAReplica(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		a put-with key=k for=9s -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		b truncate default -> 3
		restart`)
	for id := uint64(1); id <= 3; id++ {
		w.s.Discard(id)
		delete(w.log.Jobs, id)
		if err := w.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
	w.s.Settle(w.now)
	if w.s.AmendQueue("default", nil) {
		t.Error("a queue whose purge is over need not be made anew")
	}
	w.empty()
}

// Without a purge nothing is recorded otherwise than it was, and after it nothing is any more.
func TestPurgeLeavesNoTrace(t *testing.T) {
	w := newPurgeWorld(t)
	w.run("a put 5 0 60 -> 1\n a put 5 0 60 -> 2\n b reserve-job 2 -> 2\n a truncate default -> 1\n b release 2 5 0")
	if i := w.log.Jobs[2].Item; i == nil || i.Since != 1 {
		t.Errorf("the log does not say that the job was recorded later: %+v", i)
	}
	w.empty()
	w.run("b reserve-job 2 -> 2\n b release 2 5 0")
	if i := w.log.Jobs[2].Item; i != nil {
		t.Errorf("the log still has %+v", i)
	}
}

// Jobs that are set aside because of their bodies are no longer counted as damaged.
func TestPurgeOfDamagedJobs(t *testing.T) {
	w := newPurgeWorld(t)
	w.run("a put 5 0 60 -> 1\n a put 5 0 60 -> 2")
	w.log.Jobs[1].Damaged = true
	w.replay()
	if got := w.user("a").do("truncate", []string{"default"}); got != "2" {
		t.Errorf("%s jobs have ended", got)
	}
	if n := w.s.totals.Damaged; n != 0 || len(w.s.quarantined) != 0 {
		t.Errorf("%d jobs are damaged", n)
	}
	w.empty()
}

// To empty a grave takes turns that end no more jobs than their share, and others are served meanwhile.
func TestGravesAreEmptiedInShares(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	const n = 3000
	w.furnish(a, n)
	if got := a.do("truncate", []string{"default"}); got != "3000" {
		t.Fatalf("%s jobs have ended", got)
	}
	if next := w.s.Next(); next != 1 {
		t.Errorf("graves wait until %d", next)
	}
	turns, most := 0, 0
	for before := n; w.s.graving(); turns++ {
		w.s.Tick(w.now)
		most = max(most, before-w.s.yard.jobs)
		before = w.s.yard.jobs
	}
	if bound := 2*Slice*moving/ending + 1; most > bound || turns < n/bound {
		t.Errorf("%d turns have emptied the grave, one by %d jobs, want at most %d", turns, most, bound)
	}
	if err := w.check(); err != nil {
		t.Error(err)
	}
}

// A queue of which the log has only its next view's number keeps that over a restart amid a purge: a replay writes
// nothing.
func TestPurgeLeavesAQueueItsViews(t *testing.T) {
	w := newPurgeWorld(t)
	w.run(`
		a use mail
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		b truncate mail -> 2
		g.a@mail sub 1
		h.a@mail sub 1
		g.a@mail item 1 -> 3 => g.a@mail:3 h.a@mail:3
		h.a@mail drop => h.a@mail:removed
		g.a@mail drop => g.a@mail:removed`)
	w.replay()
	if v, q := w.s.tubes["mail"].service, w.log.Queues["mail"]; v == nil || v.nextView != 1 || q.Next != 1 {
		t.Errorf("after a restart, the queue is %+v, in the log %+v", v, q)
	}
}
