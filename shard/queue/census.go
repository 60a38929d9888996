package queue

import "beanfield/shard/queue/policy"

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
		case c.consumer != nil:
			list = c.consumer.appendHolding(list)
		}
	}
	return list, 0
}
