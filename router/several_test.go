package router

import (
	"fmt"
	"slices"
	"testing"

	"beanfield/shard/queue"
)

// reserveSeveral takes the short way when it may, like a connection.
func (p *player) reserveSeveral(most int, wants *queue.Options, poll bool) {
	p.wants = wants
	if !p.ReserveInPlace(p.asked()) {
		p.call(p.ReserveSeveral(most, wants, poll), p.reservedSeveral)
		return
	}
	p.submit(p.WatchShard(), queue.Op{Kind: queue.ReserveSeveral, Poll: poll, Limit: uint32(most), Options: wants}, true, func(op *queue.Op) {
		switch p.result = op.Status; op.Status {
		case queue.Waiting:
			p.BeginWaitForSeveral(most, wants)
		case queue.OK:
			for _, k := range p.batch.Taken[op.From:op.To] {
				p.toldOf(k.ID, k.About)
				p.got(k.ID, k.Size, p.batch.Bytes[k.From:k.To])
			}
		}
	})
}

func (p *player) reservedSeveral() {
	if p.Waiting() {
		return
	}
	defer p.Trim()
	v := p.Several
	if p.result = p.Reservation.Status; p.result != queue.OK {
		return
	}
	if len(v.Jobs) == 0 || len(v.Jobs) > v.most {
		panic(fmt.Sprintf("R1: %s has got %d jobs, and wanted up to %d", p.name, len(v.Jobs), v.most))
	}
	for _, j := range v.Jobs {
		p.toldOf(j.ID, j.About)
		p.got(j.ID, j.Size, j.Small)
	}
}

func severally(most int, poll bool) deed {
	return deed{plain, func(a *actor) { a.onGot = a.gotOneOfSeveral; a.reserveSeveral(most, nil, poll) }}
}

// gotOneOfSeveral checks that nobody else has the job.
func (a *actor) gotOneOfSeveral(_ *player, id uint64) {
	if was := a.w.owner[id]; was != nil && !was.closed {
		a.w.fail("R1: job %d is given to %s while %s has it", id, a.name, was.name)
	}
	a.w.owner[id] = a
}

// several are the worlds of reserves of several jobs.
var several = []scenario{
	{"one takes two of three, and another one of them", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putAt(5), put).now(2)
		w.producer(d.tube(1, 0), putAt(7)).now(1)
		w.add("several", "", both(d), severally(2, true))
		w.add("one", "", both(d), poll)
	}},
	{"two take several", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putAt(5), put).now(2)
		w.producer(d.tube(1, 0), putAt(7)).now(1)
		w.add("first", "", both(d), severally(2, true))
		w.add("second", "", both(d), severally(2, true))
	}},
	{"a wait for several, and puts at both shards", 2, false, func(w *world, d *bed) {
		w.add("waiter", "", both(d), severally(3, false)).now(1)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), put)
	}},
	{"a hang-up in the middle", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("several", "", both(d), severally(3, false), hangUp)
		w.producer(d.tube(1, 0), put)
	}},
	{"a hang-up of one that waits", 2, true, func(w *world, d *bed) {
		w.add("several", "", both(d), severally(3, false), hangUp).now(1)
		w.add("other", "", both(d), reserve).now(1)
		w.producer(d.tube(0, 0), put)
	}},
	{"a timeout against puts at both shards", 2, true, func(w *world, d *bed) {
		w.add("several", "", both(d), severally(2, false), cancel, severally(1, true)).now(1)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), put)
	}},
	{"what is offered is deleted", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("several", "", both(d), severally(2, false))
		w.producer("default", removeNth(1))
		w.producer(d.tube(1, 0), put)
	}},
	{"a wait in one shard, whose other tube gets a job too", 1, false, func(w *world, d *bed) {
		w.add("several", "", []string{d.tube(0, 0), d.tube(0, 1)}, severally(3, false), cancel)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(0, 1), put)
	}},
}

// R1 to R3 hold for reserves of several jobs in any order of steps: no job goes to two clients, and
// none is reserved without its client being told.
func TestEveryInterleavingOfSeveral(t *testing.T) {
	told := slices.Clone(several)
	for i, c := range told {
		told[i].build = func(w *world, d *bed) {
			c.build(w, d)
			w.leaf = w.allTold
		}
	}
	exploreAll(t, told, sessionModes, false)
}

// allTold checks that the shards hold as many jobs for clients as these know of.
func (w *world) allTold() error {
	known := 0
	for _, a := range w.actors {
		known += len(a.held)
	}
	_, held := w.bed.jobs()
	if known != held {
		return fmt.Errorf("R1: clients know of %d jobs that they hold, and the shards of %d", known, held)
	}
	return nil
}

// If nothing changes meanwhile, the jobs are the best of all shards in their order, however they lie.
func TestSeveralAreTheBest(t *testing.T) {
	d := newBed(3)
	w := d.begin()
	var want []string
	pris := []uint32{7, 3, 9, 3, 1, 7, 5, 5, 3, 1, 2, 8}
	for i, pri := range pris {
		w.producer(d.tube(i%3, i%2), putAt(pri)).now(1)
	}
	for pri := range uint32(10) {
		for i := range pris {
			if pris[i] == pri && len(want) < 8 {
				want = append(want, fmt.Sprint(pri, " ", w.first+uint64(i)+1))
			}
		}
	}
	var tubes []string
	for i := range 6 {
		tubes = append(tubes, d.tube(i%3, i%2))
	}
	var got []string
	p := d.newPlayer("several").watchOnly(tubes...)
	if !p.ReserveSeveral(8, nil, true) {
		t.Fatal("the shards are not working in place")
	}
	for _, j := range p.Several.Jobs {
		got = append(got, fmt.Sprint(j.Pri, " ", j.ID))
	}
	if !slices.Equal(got, want) {
		t.Errorf("reserved are %v, want %v", got, want)
	}
	p.close()
}
