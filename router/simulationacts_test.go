package router

import (
	"beanfield/shard/queue"
)

// act lets a player that does not wait do something.
func (s *simulation) act(p *player) {
	name := s.tubes[s.rnd.IntN(len(s.tubes))]
	switch s.rnd.IntN(18) {
	case 0, 1, 2, 3:
		s.put(p)
	case 4, 5, 6, 7, 8:
		s.note("%s reserves from %v", p.name, p.Watched().all())
		p.reserve(s.rnd.IntN(3) == 0)
	case 9:
		s.note("%s uses %s", p.name, name)
		p.call(p.Use([]byte(name)), nil)
	case 10:
		s.note("%s watches %s", p.name, name)
		p.call(p.Watch([]byte(name)), nil)
	case 11:
		if done, refused := p.Ignore([]byte(name)); !refused {
			s.note("%s ignores %s", p.name, name)
			p.call(done, nil)
		}
	case 12:
		s.note("%s pauses %s", p.name, name)
		op := queue.Op{Kind: queue.Pause, Data: []byte(name), Delay: uint32(s.rnd.IntN(3))}
		p.submit(p.r.TubeShard([]byte(name)), op, false, nil)
	case 13:
		s.look(p)
	default:
		s.onJob(p)
	}
}

func (s *simulation) put(p *player) {
	delay := 0
	if s.rnd.IntN(4) == 0 {
		delay = 1 + s.rnd.IntN(3)
	}
	id := s.bed.r.ids.last.Load() + 1 // the one that put is about to draw
	s.under[id] = true
	ttr := 1 + s.rnd.IntN(3)
	if s.crew != nil {
		s.crew.l.announce(entry{id: id, queue: p.Used(), ttr: int64(ttr) * 1e9, delayed: delay > 0})
	}
	p.put(uint32(s.rnd.IntN(4)), uint32(delay), uint32(ttr), func(op *queue.Op) {
		delete(s.under, op.ID)
		s.answeredPut(op)
	})
	s.note("%s puts job %d into %s, delay %d", p.name, id, p.Used(), delay)
}

// answeredPut notes a job, unless somebody has deleted it before its own
// producer has heard of it.
func (s *simulation) answeredPut(op *queue.Op) {
	if op.Status != queue.OK {
		s.fatalf("put: status %d", op.Status)
	}
	if _, ok := s.bed.r.ids.find(op.ID); ok {
		s.jobs[op.ID] = true
	}
}

// look runs operations that change nothing.
func (s *simulation) look(p *player) {
	switch s.rnd.IntN(4) {
	case 0:
		p.call(p.CountAll(nil), nil)
	case 1:
		p.submit(p.UsedShard(), queue.Op{Kind: queue.PeekReady}, true, nil)
	case 2:
		p.submit(p.UsedShard(), queue.Op{Kind: queue.PeekBuried}, true, nil)
	default:
		p.byID(queue.Op{Kind: queue.Peek, ID: s.anyID(p)}, nil)
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
func (s *simulation) onJob(p *player) {
	id := s.anyID(p)
	switch s.rnd.IntN(9) {
	case 0, 1, 2:
		s.note("%s deletes job %d", p.name, id)
		p.byID(queue.Op{Kind: queue.Delete, ID: id}, func(op *queue.Op) { s.deleted(p, id, op.Status) })
	case 3:
		s.giveUp(p, queue.Op{Kind: queue.Release, ID: id, Pri: uint32(s.rnd.IntN(4)), Delay: uint32(s.rnd.IntN(2))})
	case 4:
		s.giveUp(p, queue.Op{Kind: queue.Bury, ID: id, Pri: 1})
	case 5:
		s.note("%s touches job %d", p.name, id)
		p.byID(queue.Op{Kind: queue.Touch, ID: id}, nil)
	case 6:
		s.note("%s kicks job %d", p.name, id)
		p.byID(queue.Op{Kind: queue.KickJob, ID: id}, nil)
	case 7:
		s.note("%s kicks", p.name)
		p.submit(p.UsedShard(), queue.Op{Kind: queue.Kick, Limit: uint32(s.rnd.IntN(4))}, true, nil)
	default:
		s.note("%s takes job %d", p.name, id)
		p.byID(queue.Op{Kind: queue.ReserveJob, ID: id}, func(op *queue.Op) {
			if op.Status == queue.OK {
				p.got(op.ID, op.Size, p.batch.Bytes[op.From:op.To])
			}
		})
	}
}

// giveUp releases or buries a job.
func (s *simulation) giveUp(p *player, op queue.Op) {
	s.note("%s gives up job %d", p.name, op.ID)
	p.drop(op.ID)
	p.byID(op, nil)
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
