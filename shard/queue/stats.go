package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

func (s *State) statsJob(b *Batch, op *Op) Status {
	slot, status := s.jobFor(b, op)
	if slot != 0 {
		op.From = uint32(len(b.Jobs))
		b.Jobs = append(b.Jobs, s.jobInfo(slot))
	}
	return status
}

func (s *State) statsTube(b *Batch, op *Op) Status {
	t := s.tubes[string(op.Data)]
	if t == nil {
		return NotFound
	}
	if !s.sweep() {
		return More
	}
	op.From, op.Tube = uint32(len(b.Tubes)), t.name
	b.Tubes = append(b.Tubes, s.tubeInfo(t))
	return OK
}

func (s *State) jobInfo(slot uint32) JobInfo {
	j := s.job(slot)
	info := JobInfo{
		ID: j.id(), Tube: s.tubeOf(j).name, State: j.state(), Pri: j.pri,
		Age: (s.now + s.Epoch - j.created()) / second, TTR: j.ttr,
	}
	if j.rare == 0 {
		return info
	}
	t := s.rare(j)
	if t.key != 0 && (j.state() == Reserved || j.state() == Delayed) {
		info.TimeLeft = (t.key - s.now) / second
	}
	info.Delay, info.Counters = t.delay, t.Counters
	return info
}

func (s *State) tubeInfo(t *tube) TubeInfo {
	info := TubeInfo{
		Name:   t.name,
		Urgent: t.urgent, Ready: int(t.ready.N), Reserved: t.reserved, Delayed: int(t.delayed.N), Buried: t.buried.N,
		Total: t.total, Using: t.using, Watching: t.watching, Waiting: s.waitersOf(t),
		Deletes: t.deletes, Pauses: t.pauses,
	}
	if t.paused() {
		info.Pause = t.pauseLen
		info.PauseLeft = (t.pausedUntil - s.now) / second
	}
	return info
}

// A console shows jobs that it does not take. It asks in looks, not in operations, so
// what it is shown changes nothing and does not wait for the log.

// JobFigures are what there is to tell of a job.
type JobFigures struct {
	JobInfo
	Size uint32
	Been []Trace // in other tubes, the oldest first; nil for most jobs
}

// Heads tells of the first jobs of a tube in one state, at most n, in the order in which
// they leave it: ready jobs by priority, delayed jobs by time, buried jobs as kick takes
// them. Reserved jobs have no such order.
func (s *State) Heads(now int64, tube string, st JobState, n int) (list []JobFigures) {
	s.now = now
	t := s.tubes[tube]
	if t == nil {
		return nil
	}
	switch st {
	case Ready:
		list = s.headsOf(&t.ready, n)
	case Delayed:
		list = s.headsOf(&t.delayed, n)
	case Buried:
		for slot := t.buried.Head; slot != 0 && len(list) < n; slot = s.linksOf(slot).Next {
			list = append(list, s.jobFigures(slot))
		}
	}
	return list
}

// headsOf finds the smallest entries of a heap.
func (s *State) headsOf(h *cells.Heap, n int) (list []JobFigures) {
	var f frontier
	for f.add(h, 0); len(f.best) > 0 && len(list) < n; {
		list = append(list, s.jobFigures(f.next(h).Slot))
	}
	return list
}

func (s *State) jobFigures(slot uint32) JobFigures {
	return JobFigures{JobInfo: s.jobInfo(slot), Size: s.job(slot).size, Been: s.TracesOf(slot)}
}

// Been says where a job has been a dead letter, or was moved from; nil also if there is no such job.
func (s *State) Been(id uint64) []Trace {
	slot := s.slotOf(id)
	if slot == 0 || s.job(slot).onItsWay() {
		return nil
	}
	return s.TracesOf(slot)
}

// Figures are what a shard counts, for the metrics.
type Figures struct {
	Sums            Sums
	Jobs, Tubes     int
	Interred        int   // jobs that have ended, and are still to be given back
	Inside, Outside int64 // bytes of bodies in memory, and of those in the log only

	// Of the queue service, since the start.
	Pushed     uint64 // items sent to consumers
	Rebalanced uint64 // jobs given to others because a consumer has not dealt with them
	Dead       uint64 // dead letters

	Counters policy.Counters // of policies, since the start
}

// Figures are those of now.
func (s *State) Figures() Figures {
	return Figures{
		Sums: s.totals, Jobs: int(s.index.N) - s.yard.jobs, Tubes: len(s.tubes), Interred: s.yard.jobs,
		Inside: s.inside, Outside: s.outside,
		Pushed: s.items.pushed, Rebalanced: s.items.rebalanced, Dead: s.dead,
		Counters: s.counters,
	}
}

// TubeFigures are a tube's figures for the metrics.
type TubeFigures struct {
	TubeInfo
	Queue              bool // the queue service has touched it
	Groups, Consumers  int
	Pending, Delivered uint64           // at consumers; to the groups that there are
	Counters           *policy.Counters // nil if no policy covers it
}

// Census appends the figures of at most n tubes, beginning at a place, and returns the place
// to go on with, or 0 after the last one. Tubes that come and go
// meanwhile may be missed. It changes nothing: a wait that has ended elsewhere, and whose
// entry here has not been removed yet, is still counted.
func (s *State) Census(now int64, from uint32, n int, list []TubeFigures) ([]TubeFigures, uint32) {
	s.now = now
	share := s.share
	defer func() { s.share = share }() // this is not a part of a turn
	for from = max(from, 1); from < s.tubeAt.N; from++ {
		t := s.tubeAt.Get(from)
		if t == nil || t.gone {
			continue
		}
		if n == 0 {
			return list, from
		}
		n--
		list = append(list, s.tubeFigures(t))
	}
	return list, 0
}

func (s *State) tubeFigures(t *tube) TubeFigures {
	f := TubeFigures{TubeInfo: s.tubeInfo(t)}
	if t.service != nil {
		t.service.figures(&f)
	}
	if t.policy != nil {
		counters := t.policy.counters
		f.Counters = &counters
	}
	return f
}

// Holding is how many jobs a client of this shard holds. By is its Waiter, or the Receiver
// of a consumer.
type Holding struct {
	By   any
	Jobs int
}

// Holders appends the clients that hold jobs, among at most n places from a place on, and
// returns the place to go on with, or 0 after the last one. Clients that come and go
// meanwhile may be missed. A consumer whose connection has left is not told of.
func (s *State) Holders(from uint32, n int, list []Holding) ([]Holding, uint32) {
	for from = max(from, 1); from < s.clients.N; from++ {
		if n == 0 {
			return list, from
		}
		n--
		c := s.clients.Get(from)
		switch {
		case c == nil:
		case c.consumer == nil && c.held.N > 0:
			list = append(list, Holding{c.Waiter, c.held.N})
		case c.consumer != nil && c.consumer.to != nil && c.consumer.held() > 0:
			list = append(list, Holding{c.consumer.to, c.consumer.held()})
		}
	}
	return list, 0
}
