package router

import (
	"slices"

	"beanfield/shard/queue"
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
	d.model.put(p.model, id, pri, int64(delay), int64(ttr))
}

func (d *duel) reserve(p *pair) {
	poll := d.rnd.IntN(2) == 0
	p.real.reserve(poll)
	d.model.reserve(p.model, poll)
	d.seen.reserves++
	if p.model.result == queue.Waiting {
		d.seen.waits++
	}
	d.note("%s reserves from %v: status %d, job %d", p.real.name, p.real.Watched().all(), p.model.result, p.model.got)
}

func (d *duel) use(p *pair) {
	name := d.tube()
	d.note("%s uses %s", p.real.name, name)
	p.real.Use([]byte(name))
	p.model.used = name
}

func (d *duel) watch(p *pair) {
	name := d.tube()
	d.note("%s watches %s", p.real.name, name)
	p.real.Watch([]byte(name))
	if !p.model.watches(name) {
		p.model.watched = append(p.model.watched, name)
	}
	d.compareWatched(p)
}

func (d *duel) ignore(p *pair) {
	name := d.tube()
	d.note("%s ignores %s", p.real.name, name)
	_, refused := p.real.Ignore([]byte(name))
	i := slices.Index(p.model.watched, name)
	if refused != (i >= 0 && len(p.model.watched) == 1) {
		d.fatalf("%s ignores %s of %v: refused is %v", p.real.name, name, p.model.watched, refused)
	}
	if i >= 0 && !refused {
		last := len(p.model.watched) - 1
		p.model.watched[i] = p.model.watched[last]
		p.model.watched = p.model.watched[:last]
	}
	d.compareWatched(p)
}

func (d *duel) compareWatched(p *pair) {
	if !slices.Equal(p.real.Watched().all(), p.model.watched) {
		d.fatalf("%s watches %v, want %v", p.real.name, p.real.Watched().all(), p.model.watched)
	}
}

func (d *duel) pause(p *pair) {
	name, seconds := d.tube(), d.rnd.IntN(3)
	d.note("%s pauses %s for %d s", p.real.name, name, seconds)
	op := queue.Op{Kind: queue.Pause, Data: []byte(name), Delay: uint32(seconds)}
	p.real.submit(d.bed.r.TubeShard([]byte(name)), op, false, func(op *queue.Op) {
		if found := d.model.pause(name, int64(seconds)); found != (op.Status == queue.OK) {
			d.fatalf("pausing %s: status %d, in the model: %v", name, op.Status, found)
		}
	})
}

func (d *duel) kick(p *pair) {
	bound := d.rnd.IntN(4)
	d.note("%s kicks %d of %s", p.real.name, bound, p.real.Used())
	p.real.submit(p.real.UsedShard(), queue.Op{Kind: queue.Kick, Limit: uint32(bound)}, true, func(op *queue.Op) {
		if want := d.model.kick(p.model.used, bound); int(op.Count) != want {
			d.fatalf("kicked %d, want %d", op.Count, want)
		}
	})
}

// onJob runs one of the operations that name a job.
func (d *duel) onJob(p *pair) {
	id, pri := d.anyID(), uint32(d.rnd.IntN(4))
	held := d.model.holds(p.model, id)
	switch d.rnd.IntN(7) {
	case 0, 1:
		d.expect(p, "deletes", queue.Op{Kind: queue.Delete, ID: id}, d.model.remove(p.model, id))
	case 2:
		delay := d.rnd.IntN(3)
		d.expect(p, "releases", queue.Op{Kind: queue.Release, ID: id, Pri: pri, Delay: uint32(delay)}, held != nil)
		if held != nil {
			held.pri = pri
			if delay > 0 {
				d.model.makeDelayed(held, int64(delay))
			} else {
				d.model.makeReady(held)
			}
		}
	case 3:
		d.expect(p, "buries", queue.Op{Kind: queue.Bury, ID: id, Pri: pri}, held != nil)
		if held != nil {
			d.model.bury(held, pri)
		}
	case 4:
		d.expect(p, "touches", queue.Op{Kind: queue.Touch, ID: id}, held != nil)
		if held != nil {
			held.deadline = d.model.now + held.ttr
		}
	case 5:
		j := d.model.find(id)
		can := j != nil && (j.state == queue.Buried || j.state == queue.Delayed)
		d.expect(p, "kicks", queue.Op{Kind: queue.KickJob, ID: id}, can)
		if can {
			d.model.makeReady(j)
		}
	default:
		j := d.model.find(id)
		can := j != nil && j.state != queue.Reserved
		d.expect(p, "takes", queue.Op{Kind: queue.ReserveJob, ID: id}, can)
		if can {
			was := *p.model
			d.model.give(p.model, j)
			p.model.result, p.model.got = was.result, was.got // no answer of a reserve
		}
	}
}

// expect sends an operation on a job and compares whether it is found.
func (d *duel) expect(p *pair, verb string, op queue.Op, want bool) {
	d.note("%s %s job %d: %v", p.real.name, verb, op.ID, want)
	found := false
	p.real.byID(op, func(op *queue.Op) { found = op.Status == queue.OK })
	if found != want {
		d.fatalf("%s %s job %d: %v, want %v", p.real.name, verb, op.ID, found, want)
	}
}
