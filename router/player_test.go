package router

import (
	"fmt"

	"beanfield/shard/queue"
)

// player is a session and its owner, for tests that run in one goroutine. It
// goes the way a connection goes: one call at a time, EndWait when a wait has
// brought a job, no other command in a wait.
type player struct {
	Session
	name   string
	batch  queue.Batch
	then   func() // what the end of the call that is under way leads to
	closed bool
	room   bool // its put waits for room

	tags  queue.Tags     // of its next puts
	wants *queue.Options // what its latest reserve asks for

	result queue.Status // of the last reserve that has ended
	last   uint64       // the job that the last one brought
	held   map[uint64]bool
	onGot  func(p *player, id uint64)
}

// Notify has nothing to do: the test looks at answered and woken itself.
func (p *player) Notify() {}

// newPlayer opens a session. The shards must be working in place.
func (d *bed) newPlayer(name string) *player {
	p := &player{name: name, held: map[uint64]bool{}}
	p.Init(d.r, p, &d.waits)
	if !p.Open() {
		panic("the shards are not working in place")
	}
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

func (p *player) put(pri, delay, ttr uint32, then func(op *queue.Op)) uint64 {
	id := p.NewID()
	op := queue.Op{Kind: queue.Put, ID: id, Pri: pri, Delay: delay, TTR: ttr}
	op.Data = fmt.Appendf(nil, "job %d", id)
	op.Size = uint32(len(op.Data))
	if len(p.tags) > 0 {
		op.Options = &queue.Options{Delay: int64(delay) * second, TTR: int64(ttr) * second, Tags: p.tags}
	}
	p.submit(p.UsedShard(), op, true, then)
	return id
}

// reserve takes the short way when it may, like a connection.
func (p *player) reserve(poll bool) {
	p.wants = nil
	if p.ReserveInPlace(nil) {
		p.submit(p.WatchShard(), queue.Op{Kind: queue.Reserve, Poll: poll}, true, func(op *queue.Op) {
			switch op.Status {
			case queue.Waiting:
				p.BeginWait()
			case queue.OK:
				p.got(op.ID, op.Size, p.batch.Bytes[op.From:op.To])
			default:
				p.result = op.Status
			}
		})
		return
	}
	p.call(p.Reserve(poll), p.reserved)
}

// reserved looks at the answer of a reserve or of a wait.
func (p *player) reserved() {
	if p.Waiting() {
		return
	}
	if p.room {
		p.room, p.result = false, p.Reservation.Status
		return
	}
	if p.Several != nil {
		p.reservedSeveral()
	} else if res := &p.Reservation; res.Status == queue.OK {
		p.got(res.ID, res.Size, res.Small)
	} else {
		p.result = res.Status
	}
}

func (p *player) got(id uint64, size uint32, body []byte) {
	if want := fmt.Sprintf("job %d", id); string(body) != want || int(size) != len(want) {
		panic(fmt.Sprintf("%s got job %d with body %q", p.name, id, body))
	}
	p.result = queue.OK
	p.last, p.held[id] = id, true
	if p.onGot != nil {
		p.onGot(p, id)
	}
}

func (p *player) endWait() { p.call(p.EndWait(), p.reserved) }

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

// byID sends an operation on one job to the shard that owns it. It reports
// false if nobody does.
func (p *player) byID(op queue.Op, then func(op *queue.Op)) bool {
	i, ok := p.r.Owner(op.ID)
	if ok {
		p.submit(i, op, op.Kind == queue.ReserveJob, then)
	}
	return ok
}

// drop forgets a job that the player has given up or lost.
func (p *player) drop(id uint64) { delete(p.held, id) }

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
