package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
)

const second = int64(1e9)

// player is a session and its owner, for tests that run in one goroutine. It
// goes the way a connection goes: one call at a time, EndWait when a wait has
// brought a job, no other command in a wait.
type player struct {
	Session
	bed    *bed
	name   string
	batch  queue.Batch
	then   func() // what the end of the call that is under way leads to
	closed bool
	room   bool // its put waits for room

	tags  queue.Tags     // of its next puts
	wants *queue.Options // what its latest reserve asks for

	result queue.Status // of the last reserve, or put that waited, that has ended
	last   uint64       // the job that the last reserve brought
	got    int          // how many it brought
	held   map[uint64]bool
	given  map[uint64]int // how often it has heard that it was given a job
}

// Notify has nothing to do: the test looks at answered and woken itself.
func (p *player) Notify() {}

// newPlayer opens a session.
func (d *bed) newPlayer(name string) *player {
	p := &player{bed: d, name: name, held: map[uint64]bool{}, given: map[uint64]int{}}
	p.Init(d.r, p, &d.waits)
	p.call(p.Open(), nil)
	return p
}

// watchOnly makes the player watch these tubes and no others.
func (p *player) watchOnly(tubes ...string) *player {
	for _, name := range tubes {
		p.Watch([]byte(name))
	}
	p.Ignore([]byte(DefaultTube))
	return p
}

func (p *player) gateOpen() bool { return p.gate.word.Load() != 0 }

func (p *player) busy() bool { return p.then != nil }

// call begins a call. If it is complete at once, so is this.
func (p *player) call(done bool, then func()) {
	if then == nil {
		then = func() {}
	}
	if done {
		then()
		return
	}
	if p.then != nil {
		panic("two calls at a time")
	}
	p.then = then
}

// canResume says whether Resume would do something.
func (p *player) canResume() bool { return p.busy() && (p.answered.Load() || p.resting != nil) }

func (p *player) resume() {
	if p.Resume() {
		then := p.then
		p.then = nil
		then()
	}
}

// submit sends one operation as a batch, the way a connection does.
func (p *player) submit(i int, op queue.Op, member bool, then func(op *queue.Op)) {
	p.batch.Reset()
	p.batch.Ops = append(p.batch.Ops, op)
	p.call(p.Submit(i, &p.batch, member), func() {
		if then != nil {
			then(&p.batch.Ops[0])
		}
	})
}

func (p *player) put(pri, delay, ttr uint32, then func(op *queue.Op)) {
	id := p.NewID()
	op := queue.Op{Kind: queue.Put, ID: id, Pri: pri, Delay: delay, TTR: ttr}
	op.Data = fmt.Appendf(nil, "job %d", id)
	op.Size = uint32(len(op.Data))
	if len(p.tags) > 0 {
		op.Options = &queue.Options{Delay: int64(delay) * second, TTR: int64(ttr) * second, Tags: p.tags}
	}
	p.submit(p.UsedShard(), op, true, func(op *queue.Op) {
		p.hasPut(op.ID, op.Status)
		if then != nil {
			then(op)
		}
	})
}

// hasPut notes a job, unless somebody has deleted it before its producer has heard of it.
func (p *player) hasPut(id uint64, status queue.Status) {
	if _, known := p.r.Owner(id); known && status == queue.OK {
		p.bed.alive[id] = true
	}
}

// putAndWait puts a job, and waits for room if there is none.
func (p *player) putAndWait() {
	op := queue.Op{Kind: queue.Put, TTR: 100, Size: 1, Data: []byte("x"), Options: &queue.Options{TTR: 100 * second,
		Timeout: second}}
	p.result = queue.Waiting
	p.submit(p.UsedShard(), op, true, func(op *queue.Op) {
		if p.result = op.Status; op.Status == queue.Waiting {
			p.room = true
			p.BeginWait()
			return
		}
		p.hasPut(op.ID, op.Status)
	})
}

// reserve takes up to so many jobs, or with 0 is the command for one. It takes the short way when it may, like a
// connection.
func (p *player) reserve(most int, wants *queue.Options, poll bool) {
	p.wants, p.got = wants, 0
	inPlace := p.ReserveInPlace(p.asked())
	switch {
	case !inPlace && most == 0:
		p.call(p.Reserve(poll), p.reserved)
		return
	case !inPlace:
		p.call(p.ReserveSeveral(most, wants, poll), p.reserved)
		return
	}
	op := queue.Op{Kind: queue.Reserve, Poll: poll}
	if most > 0 {
		op = queue.Op{Kind: queue.ReserveSeveral, Poll: poll, Limit: uint32(most), Options: wants}
	}
	p.submit(p.WatchShard(), op, true, func(op *queue.Op) {
		switch p.result = op.Status; {
		case op.Status == queue.Waiting && most == 0:
			p.BeginWait()
		case op.Status == queue.Waiting:
			p.BeginWaitForSeveral(most, wants)
		case op.Status == queue.OK && most == 0:
			p.take(op.ID, op.Size, p.batch.Small(op))
		case op.Status == queue.OK:
			for _, k := range p.batch.TakenBy(op) {
				p.toldOf(k.ID, k.About)
				p.take(k.ID, k.Size, p.batch.Bytes[k.From:k.To])
			}
		}
	})
}

// reserved looks at the answer of a reserve or of a wait.
func (p *player) reserved() {
	if p.Waiting() {
		return
	}
	p.result = p.Reservation.Status
	v := p.Several
	switch res := &p.Reservation; {
	case p.room:
		p.room = false
		p.hasPut(res.ID, res.Status)
	case res.Status != queue.OK:
	case v == nil:
		p.take(res.ID, res.Size, res.Small)
	case len(v.Jobs) == 0 || len(v.Jobs) > v.most:
		panic(fmt.Sprintf("R1: %s has got %d jobs, and wanted up to %d", p.name, len(v.Jobs), v.most))
	default:
		for _, j := range v.Jobs {
			p.toldOf(j.ID, j.About)
			p.take(j.ID, j.Size, j.Small)
		}
	}
	if v != nil {
		p.Trim()
	}
}

// take notes a job that the player was given.
func (p *player) take(id uint64, size uint32, body []byte) {
	if want := fmt.Sprintf("job %d", id); string(body) != want || int(size) != len(want) {
		panic(fmt.Sprintf("%s got job %d with body %q", p.name, id, body))
	}
	p.result, p.last, p.held[id] = queue.OK, id, true
	p.given[id]++
	p.got++
}

// asked are the tags that the player's latest reserve asks for.
func (p *player) asked() queue.Tags {
	if p.wants == nil {
		return nil
	}
	return p.wants.Tags
}

// toldOf checks what the player is told of a job.
func (p *player) toldOf(id uint64, a *queue.About) {
	if (a != nil) != (p.wants != nil) || a != nil && (a.Reserves == 0 || !a.Tags.Has(p.wants.Tags)) {
		panic(fmt.Sprintf("R1: %s asks for %q, and is told %+v of job %d", p.name, p.asked(), a, id))
	}
	if a != nil && !slices.Contains(p.Watched().all(), a.Tube) {
		panic(fmt.Sprintf("R1: %s has got job %d of tube %s, which it does not watch", p.name, id, a.Tube))
	}
}

func (p *player) endWait() {
	p.got = 0
	p.call(p.EndWait(), p.reserved)
}

// cancel ends the wait, unless a shard is quicker.
func (p *player) cancel(status queue.Status) {
	if won, done := p.CancelWait(status); won {
		p.call(done, p.reserved)
	}
}

// alarm is what a connection does when a deadline in a wait looks near.
func (p *player) alarm() {
	p.call(p.Refresh(), func() {
		switch {
		case p.Delivered():
			p.endWait()
		case p.Soonest()-queue.Margin <= p.r.Now():
			p.cancel(queue.DeadlineSoon)
		}
	})
}

// byID sends an operation on one job to the shard that owns it. If nobody does, that is the answer.
func (p *player) byID(op queue.Op, then func(op *queue.Op)) {
	if then == nil {
		then = func(*queue.Op) {}
	}
	id := op.ID
	if op.Kind == queue.Release || op.Kind == queue.Bury {
		delete(p.held, id)
	}
	i, ok := p.r.Owner(id)
	if !ok {
		op.Status = queue.NotFound
		then(&op)
		return
	}
	p.submit(i, op, op.Kind == queue.ReserveJob, func(op *queue.Op) {
		switch {
		case op.Kind == queue.Delete:
			delete(p.held, id)
			if op.Status == queue.OK {
				delete(p.bed.alive, id)
			}
		case op.Kind == queue.ReserveJob && op.Status == queue.OK:
			p.take(op.ID, op.Size, p.batch.Small(op))
		}
		then(op)
	})
}

func (p *player) close() {
	p.closed = true
	clear(p.held)
	p.call(p.Close(), nil)
}

// watchedIn counts the tubes watched in a shard.
func (p *player) watchedIn(i int) (n int) {
	for _, name := range p.Watched().all() {
		if p.r.TubeShard([]byte(name)) == i {
			n++
		}
	}
	return n
}
