package router

import (
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// act lets a player that does not wait do something.
func (d *duel) act(p *pair) {
	switch d.rnd.IntN(16) {
	case 0, 1:
		d.put(p)
	case 2, 3, 4, 5, 6:
		d.reserve(p)
	case 7:
		d.use(p)
	case 8:
		d.watch(p)
	case 9:
		d.ignore(p)
	case 10:
		d.pause(p)
	case 11:
		d.kick(p)
	default:
		d.onJob(p)
	}
}

func (d *duel) put(p *pair) {
	pri, ttr, delay := uint32(d.rnd.IntN(4)), 1+d.rnd.IntN(4), 0
	if d.rnd.IntN(4) == 0 {
		delay = 1 + d.rnd.IntN(3)
	}
	id := p.real.put(pri, uint32(delay), uint32(ttr), nil)
	d.note("%s puts job %d into %s, priority %d, delay %d, ttr %d", p.real.name, id, p.real.Used(), pri, delay, ttr)
	d.model.Put(&naive.Job{ID: id, Tube: p.real.Used(), Pri: pri, Delay: uint32(delay), TTR: uint32(ttr)})
}

func (d *duel) reserve(p *pair) {
	poll := d.rnd.IntN(2) == 0
	p.real.reserve(poll)
	j, status := d.model.Reserve(p.model, poll)
	if p.result = status; j != nil {
		p.got = j.ID
	}
	d.seen.reserves++
	if status == naive.Waiting {
		d.seen.waits++
	}
	d.note("%s reserves from %v: %s, job %d", p.real.name, p.real.Watched().all(), status, p.got)
}

func (d *duel) use(p *pair) {
	name := d.tube()
	d.note("%s uses %s", p.real.name, name)
	p.real.Use([]byte(name))
	d.model.Use(p.model, name)
}

func (d *duel) watch(p *pair) {
	name := d.tube()
	d.note("%s watches %s", p.real.name, name)
	p.real.Watch([]byte(name))
	d.model.Watch(p.model, name)
	d.compareWatched(p)
}

func (d *duel) ignore(p *pair) {
	name := d.tube()
	d.note("%s ignores %s", p.real.name, name)
	_, refused := p.real.Ignore([]byte(name))
	watched := d.model.Clients[p.model].Watched
	has := slices.Contains(watched, name)
	if refused != (has && len(watched) == 1) {
		d.fatalf("%s ignores %s of %v: refused is %v", p.real.name, name, watched, refused)
	}
	if has && !refused {
		d.model.Ignore(p.model, name)
	}
	d.compareWatched(p)
}

func (d *duel) compareWatched(p *pair) {
	if want := d.model.Clients[p.model].Watched; !slices.Equal(p.real.Watched().all(), want) {
		d.fatalf("%s watches %v, want %v", p.real.name, p.real.Watched().all(), want)
	}
}

func (d *duel) pause(p *pair) {
	name, seconds := d.tube(), d.rnd.IntN(3)
	d.note("%s pauses %s for %d s", p.real.name, name, seconds)
	op := queue.Op{Kind: queue.Pause, Data: []byte(name), Delay: uint32(seconds)}
	p.real.submit(d.bed.r.TubeShard([]byte(name)), op, false, func(op *queue.Op) {
		if want := d.model.Pause(name, uint32(seconds)); op.Status != statusOf[want] {
			d.fatalf("pausing %s: status %d, want %s", name, op.Status, want)
		}
	})
}

func (d *duel) kick(p *pair) {
	bound := d.rnd.IntN(4)
	d.note("%s kicks %d of %s", p.real.name, bound, p.real.Used())
	p.real.submit(p.real.UsedShard(), queue.Op{Kind: queue.Kick, Limit: uint32(bound)}, true, func(op *queue.Op) {
		if want := d.model.Kick(p.real.Used(), uint32(bound)); op.Count != want {
			d.fatalf("kicked %d, want %d", op.Count, want)
		}
	})
}

// onJob runs one of the operations that name a job.
func (d *duel) onJob(p *pair) {
	op := queue.Op{ID: d.anyID(), Pri: uint32(d.rnd.IntN(4))}
	m, c, id := d.model, p.model, op.ID
	switch d.rnd.IntN(7) {
	case 0, 1:
		op.Kind = queue.Delete
		d.expect(p, "deletes", op, m.Delete(c, id))
	case 2:
		op.Kind, op.Delay = queue.Release, uint32(d.rnd.IntN(3))
		d.expect(p, "releases", op, m.Release(c, id, op.Pri, op.Delay))
	case 3:
		op.Kind = queue.Bury
		d.expect(p, "buries", op, m.Bury(c, id, op.Pri))
	case 4:
		op.Kind = queue.Touch
		d.expect(p, "touches", op, m.Touch(c, id))
	case 5:
		op.Kind = queue.KickJob
		d.expect(p, "kicks", op, m.KickJob(id))
	default:
		op.Kind = queue.ReserveJob
		_, status := m.ReserveJob(c, id)
		d.expect(p, "takes", op, status)
	}
}

// expect sends an operation on a job and compares the answer.
func (d *duel) expect(p *pair, verb string, op queue.Op, want naive.Status) {
	d.note("%s %s job %d: %s", p.real.name, verb, op.ID, want)
	got := queue.NotFound
	p.real.byID(op, func(op *queue.Op) { got = op.Status })
	if got != statusOf[want] {
		d.fatalf("%s %s job %d: status %d, want %s", p.real.name, verb, op.ID, got, want)
	}
}
