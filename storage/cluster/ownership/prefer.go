package ownership

import "time"

// Steady is for how long a node must have been well before the shards go back to it (Config.Prefer).
const Steady = 30 * time.Second

// mostFalls bounds how often the time is doubled that a node which has lost the shards must have been well.
const mostFalls = 6

// falls are how often a node has lost the shards, or not taken them when they were handed to it.
type falls struct {
	last  time.Duration
	times int
}

// owns notes who owns the shards. Whoever did before, and has not handed them over, has lost them.
func (s *Election) owns(name string) {
	if s.latest != "" && s.latest != name {
		s.fell(s.latest)
	}
	s.latest = name
}

// fell notes that a node has lost the shards.
func (s *Election) fell(name string) {
	f := s.falls[name]
	if s.now-f.last > s.Prefer<<(mostFalls+1) {
		f.times = 0
	}
	s.falls[name] = falls{s.now, min(f.times+1, mostFalls)}
}

// prefer has the owner hand over to a node that comes before it in the order, and has been well for long
// enough. It is called with each beat, and these are what it counts.
func (s *Election) prefer() {
	if s.Prefer == 0 || s.role != Owner || s.pinned {
		return
	}
	var first string
	for _, name := range s.Nodes {
		if name == s.Node {
			break
		}
		p := s.peers[name]
		if p.well++; !p.report.Fit || p.report.Low || s.GivenUp(name) || s.now-s.counted[name].sent >= Living {
			p.well = 0
		}
		if first == "" && time.Duration(p.well)*BeatEach >= s.Prefer<<s.falls[name].times {
			first = name
		}
	}
	if first != "" {
		s.Logger.Info("a node that comes before this one has been well for long enough", "node", first, "times lost",
			s.falls[first].times)
		s.leave(first)
	}
}
