package ownership

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"beanfield/storage/lanes"
)

// beat asks all nodes, this one included, whether the owner may go on.
func (s *Election) beat() {
	s.prefer()
	s.nextBeat = s.now + BeatEach
	m := s.Message(Beat, "")
	m.Epochs, m.Sent, m.Over = s.epochs, s.now, append([]uint64(nil), s.over...)
	m.Shown = map[string][]uint64{}
	for i := range s.shards {
		for node, life := range s.shards[i].shown {
			if m.Shown[node] == nil {
				m.Shown[node] = make([]uint64, s.Shards)
			}
			m.Shown[node][i] = life
		}
	}
	if s.members.Version > 0 {
		m.Members = &s.members
	}
	m.Counted = map[string][]uint64{}
	for node, c := range s.counted {
		m.Counted[node] = c.durable
	}
	s.Acts.Send(m)
	s.beaten(m)
}

// answered takes an answer to a beat.
func (s *Election) answered(m *Message) {
	if s.role < Elected || len(m.Since) != s.Shards || len(m.Epochs) != s.Shards || m.Sent > s.now {
		return
	}
	since := s.since
	if p := s.peers[m.From]; p != nil {
		since = p.since
	}
	for i := range s.shards {
		sh := &s.shards[i]
		switch {
		case m.Epochs[i] != sh.epoch:
			return
		case m.Since[i] >= 0:
			sh.lease.Answered(s.now, voteOf(m.From, since), m.Epochs[i], m.Sent, m.Since[i])
		case i < len(m.Report.Promised) && m.Report.Promised[i] > sh.epoch:
			why := fmt.Errorf("%w: node %s has answered epoch %d of shard %d", ErrOvertaken, m.From,
				m.Report.Promised[i], i)
			s.quit(why)
			return
		}
	}
	// a late answer may be of a copy that is gone
	if len(m.Report.Durable) == s.Shards && m.Sent >= s.counted[m.From].sent {
		s.counted[m.From] = counted{m.Sent, m.Report.Durable}
	}
	s.refresh()
}

// refresh looks until when the lease holds for all shards. It begins the term if it does.
func (s *Election) refresh() {
	if s.role < Elected {
		return
	}
	until := s.lasts()
	if s.without.lease {
		until = s.now + lanes.LeaseTime
	}
	if until <= s.now || until <= s.until && s.role >= Owner {
		return
	}
	s.until = until
	switch {
	case s.role == Elected && s.open:
		s.role, s.owner = Owner, s.Node
	case s.role == Elected:
		s.role, s.open, s.serves, s.owner = Owner, true, false, s.Node
		s.forgive()
		s.Logger.Info("this node owns the shards", "epochs", fmt.Sprint(s.epochs), "after", s.now-s.stoodAt)
		s.owns(s.Node)
		s.Acts.Begin(s.epochs)
	}
	s.Acts.Hold(until)
}

// Landed tells that turns of a shard count, which the owner began to append when it knew of these
// blank nodes (P12).
func (s *Election) Landed(now time.Duration, i int, epoch uint64, lives map[string]uint64) {
	s.advance(now)
	if sh := &s.shards[i]; s.role >= Elected && sh.epoch == epoch {
		maps.Copy(sh.shown, lives)
	}
}

// Blank are the lives of nodes that are still to be shown something; nil if there are none.
func (s *Election) Blank() (lives map[string]uint64) {
	for node, life := range s.lives {
		if slices.ContainsFunc(s.shards, func(sh shard) bool { return sh.shown[node] != life }) {
			if lives == nil {
				lives = map[string]uint64{}
			}
			lives[node] = life
		}
	}
	return lives
}

// Epochs are those of the shards that the node owns; nil if it does not.
func (s *Election) Epochs() []uint64 {
	if s.role < Elected {
		return nil
	}
	return s.epochs
}

// InTerm tells whether the server has a term that it has not ended.
func (s *Election) InTerm() bool { return s.open }

// MayAnswer is called before the server answers anybody in a term. It tells whether it may now.
func (s *Election) MayAnswer(now time.Duration) bool {
	s.advance(now)
	defer s.finish()
	s.serves = s.serves || s.role >= Owner
	return s.serves
}

// Fail ends a term that cannot go on.
func (s *Election) Fail(now time.Duration, why error) {
	s.advance(now)
	defer s.finish()
	if s.open {
		s.quit(why)
	}
}

// lose ends a term at once.
func (s *Election) lose(why error) {
	s.role, s.owner = Follower, ""
	s.vacant = max(s.vacant, s.now+Silence)
	s.retry = s.now + time.Duration(s.Random.Int64N(int64(HelloEach)))
	s.Logger.Error("this node does not own the shards any more", "error", why)
	s.resign()
	s.Acts.Lose(why)
}

// leave begins a hand-over.
func (s *Election) leave(target string) {
	s.role, s.target, s.moved, s.unwell = Leaving, target, false, false
	s.Logger.Info("this node hands the shards over", "to", target)
	s.Acts.Leave()
}

// End is the server's: it appends nothing more and answers nobody any more in this term. So the
// epochs have ended, and nobody needs to wait for what was answered to them (P11).
func (s *Election) End(now time.Duration) {
	s.advance(now)
	defer s.finish()
	if !s.open {
		return
	}
	s.open = false
	m := s.Message(Ended, "")
	m.Epochs, m.Handover = s.epochs, s.role >= Elected
	s.end(s.epochs)
	if m.Handover {
		if m.Successor = s.target; m.Successor == "" || !s.alive(m.Successor) || !s.peers[m.Successor].report.Fit {
			m.Successor = s.best()
		}
		m.Ordered, m.Unwell, s.latest = s.moved && m.Successor == s.target, s.unwell, m.Successor
		s.role, s.owner = Follower, ""
		s.resign()
		s.vacate(m.Successor)
		s.Logger.Info("this node has handed the shards over", "to", m.Successor)
	}
	s.Acts.Send(m)
}

// end notes that epochs have ended.
func (s *Election) end(epochs []uint64) {
	for i := range s.shards {
		s.shards[i].voter.Ended(epochs[i])
		s.over[i] = max(s.over[i], epochs[i])
	}
}

// vacate notes that the owner has left. If there is a successor, the others give it time.
func (s *Election) vacate(successor string) {
	if s.vacant = s.now; successor != "" {
		s.vacant += Silence
	}
}

// ended is told by an owner that has ended its epochs.
func (s *Election) ended(m *Message) {
	if len(m.Epochs) != s.Shards {
		return
	}
	s.end(m.Epochs)
	if !m.Handover || s.role != Follower {
		return
	}
	s.owner, s.latest = "", m.Successor
	if m.Unwell {
		s.fell(m.From)
	}
	s.vacate(m.Successor)
	if m.Successor == s.Node && s.unfit() == "" {
		s.stand()
		s.pinned = m.Ordered
	}
}
