package router

import (
	"beanfield/shard/queue"
)

// choose picks what a player that does not wait does next.
func (s *simulation) choose(p *player) queue.Op {
	name := []byte(s.tubes[s.rnd.IntN(len(s.tubes))])
	switch n := s.rnd.IntN(18); n {
	case 0, 1, 2, 3:
		op := queue.Op{Kind: queue.Put, Pri: uint32(s.rnd.IntN(4)), TTR: uint32(1 + s.rnd.IntN(4))}
		if s.rnd.IntN(4) == 0 {
			op.Delay = uint32(1 + s.rnd.IntN(3))
		}
		return op
	case 4, 5, 6, 7, 8:
		if s.rnd.IntN(3) == 0 {
			op := queue.Op{Kind: queue.ReserveSeveral, Poll: s.rnd.IntN(5) < 2, Limit: uint32(1 + s.rnd.IntN(5))}
			if s.rnd.IntN(2) == 0 {
				op.Options = &queue.Options{Tags: s.someTags()}
			}
			return op
		}
		return queue.Op{Kind: queue.Reserve, Poll: s.rnd.IntN(5) < 2}
	case 9, 10, 11:
		return queue.Op{Kind: []queue.Kind{queue.Use, queue.Watch, queue.Ignore}[n-9], Data: name}
	case 12:
		return queue.Op{Kind: queue.Pause, Data: name, Delay: uint32(s.rnd.IntN(3))}
	case 13: // these change nothing
		kinds := []queue.Kind{queue.Totals, queue.PeekReady, queue.PeekBuried, queue.Peek}
		return queue.Op{Kind: kinds[s.rnd.IntN(4)], ID: s.anyID(p)}
	}
	kinds := []queue.Kind{queue.Delete, queue.Delete, queue.Delete, queue.Release, queue.Bury, queue.Touch, queue.KickJob, queue.Kick, queue.ReserveJob}
	op := queue.Op{Kind: kinds[s.rnd.IntN(len(kinds))], ID: s.anyID(p), Pri: uint32(s.rnd.IntN(4)), Limit: uint32(s.rnd.IntN(4))}
	if op.Kind == queue.ReserveJob && len(s.policies) > 0 {
		op.Kind = queue.Touch
	}
	if op.Kind == queue.Release {
		op.Delay = uint32(s.rnd.IntN(3))
	}
	return op
}

// act lets a player do something. then hears of the answer, except that of a reserve; it may
// be nil.
func (s *simulation) act(p *player, op queue.Op, then func(op *queue.Op)) {
	if then == nil {
		then = func(*queue.Op) {}
	}
	s.note("%s with %s: %s %s", p.name, p.Used(), describeOp(&op), op.Data)
	switch op.Kind {
	case queue.Put:
		s.put(p, &op, then)
	case queue.Reserve:
		p.reserve(op.Poll)
	case queue.ReserveSeveral:
		p.reserveSeveral(int(op.Limit), op.Options, op.Poll)
	case queue.Use:
		p.call(p.Use(op.Data), nil)
	case queue.Watch:
		p.call(p.Watch(op.Data), nil)
	case queue.Ignore:
		done, refused := p.Ignore(op.Data)
		if refused {
			op.Status = queue.Refused
		} else {
			p.call(done, nil)
		}
		then(&op)
	case queue.Totals:
		p.call(p.CountAll(nil), nil)
	case queue.Pause:
		p.submit(p.r.TubeShard(op.Data), op, false, then)
	case queue.PeekReady, queue.PeekBuried, queue.Kick:
		p.submit(p.UsedShard(), op, true, then)
	default:
		s.onJob(p, op, then)
	}
}

func (s *simulation) put(p *player, op *queue.Op, then func(op *queue.Op)) {
	id := s.bed.r.ids.last.Load() + 1 // the one that put is about to draw
	s.under[id] = true
	if s.crew != nil {
		s.crew.l.announce(entry{id: id, queue: p.Used(), ttr: int64(op.TTR) * 1e9, delayed: op.Delay > 0})
	}
	p.tags = s.someTags()
	p.put(op.Pri, op.Delay, op.TTR, func(op *queue.Op) {
		delete(s.under, op.ID)
		s.answeredPut(op)
		then(op)
	})
}

// answeredPut notes a job, unless somebody has deleted it before its own
// producer has heard of it.
func (s *simulation) answeredPut(op *queue.Op) {
	if op.Status == queue.NoRoom && s.limited {
		return
	}
	if op.Status != queue.OK {
		s.fatalf("put: status %d", op.Status)
	}
	if _, ok := s.bed.r.ids.find(op.ID); ok {
		s.jobs[op.ID] = true
	}
}

// anyID picks an id: one that the player has, or any other.
func (s *simulation) anyID(p *player) uint64 {
	if s.rnd.IntN(4) > 0 {
		for id := uint64(1); id <= s.bed.r.ids.last.Load(); id++ {
			if p.held[id] {
				return id
			}
		}
	}
	return s.rnd.Uint64N(s.bed.r.ids.last.Load() + 2)
}

// onJob runs one of the operations that name a job.
func (s *simulation) onJob(p *player, op queue.Op, then func(op *queue.Op)) {
	id := op.ID
	if op.Kind == queue.Release || op.Kind == queue.Bury {
		p.drop(id)
	}
	known := p.byID(op, func(op *queue.Op) {
		switch {
		case op.Kind == queue.Delete:
			s.deleted(p, id, op.Status)
		case op.Kind == queue.ReserveJob && op.Status == queue.OK:
			p.got(op.ID, op.Size, p.batch.Bytes[op.From:op.To])
		}
		then(op)
	})
	if !known {
		op.Status = queue.NotFound
		then(&op)
	}
}

func (s *simulation) deleted(p *player, id uint64, status queue.Status) {
	p.drop(id)
	if status != queue.OK {
		return
	}
	delete(s.jobs, id)
	s.seen.ended++
	if _, ok := s.bed.r.ids.find(id); ok && s.crew == nil { // views may still have it
		s.fatalf("R2: job %d is in the directory after its end", id)
	}
}
