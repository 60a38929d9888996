package queue

// Figures are what a shard counts, for the metrics.
type Figures struct {
	Sums            Sums
	Jobs, Tubes     int
	Inside, Outside int64 // bytes of bodies in memory, and of those in the log only

	// Of the queue service, since the start.
	Pushed     uint64 // items sent to consumers
	Rebalanced uint64 // jobs given to others because a consumer has not dealt with them
	Dead       uint64 // dead letters
}

// Figures are those of now.
func (s *State) Figures() Figures {
	return Figures{
		Sums: s.totals, Jobs: int(s.index.n), Tubes: len(s.tubes), Inside: s.inside, Outside: s.outside,
		Pushed: s.pushed, Rebalanced: s.rebalanced, Dead: s.dead,
	}
}

// TubeFigures are a tube's figures for the metrics.
type TubeFigures struct {
	TubeInfo
	Queue              bool // the queue service has touched it
	Groups, Consumers  int
	Pending, Delivered uint64 // at consumers; to the groups that there are
}

// Census appends the figures of at most n tubes, beginning at a place, and returns the place
// to go on with, or 0 after the last one. Tubes that come and go
// meanwhile may be missed. It changes nothing: a wait that has ended elsewhere, and whose
// entry here has not been removed yet, is still counted.
func (s *State) Census(now int64, from uint32, n int, list []TubeFigures) ([]TubeFigures, uint32) {
	share := s.share
	defer func() { s.share = share }() // this is not a part of a turn
	for from = max(from, 1); from < s.tubeAt.N; from++ {
		t := s.tubeAt.Get(from)
		if t == nil {
			continue
		}
		if n == 0 {
			return list, from
		}
		n--
		list = append(list, s.tubeFigures(now, t))
	}
	return list, 0
}

func (s *State) tubeFigures(now int64, t *tube) TubeFigures {
	f := TubeFigures{TubeInfo: s.tubeInfo(now, t)}
	v := t.service
	if v == nil {
		return f
	}
	f.Queue = true
	if v.first != nil {
		f.add(v.first)
	}
	for _, w := range v.views {
		f.add(w.group)
	}
	return f
}

func (f *TubeFigures) add(g *group) {
	f.Groups++
	f.Consumers += len(g.consumers)
	f.Pending += uint64(max(0, g.pending))
	f.Delivered += g.delivered
}
