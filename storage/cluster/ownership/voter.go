package ownership

import (
	"time"
)

// beaten takes an owner's beat, its own included: it is answered as soon as what it promises is kept.
func (s *Election) beaten(m *Message) {
	if len(m.Epochs) != s.Shards {
		return
	}
	if m.From != s.Node {
		for i, epoch := range m.Epochs {
			if epoch < s.shards[i].voter.Promised() {
				s.reply(m, nil) // it is told
				return
			}
		}
		s.owner, s.vacant, s.countedAs = m.From, s.now+Silence, m.Counted[s.Node]
		if m.Report.Role != Candidate.String() {
			if s.role == Candidate && m.Epochs[0] > s.over[0] {
				s.quit(ErrOvertaken)
			}
			s.forgive()
		}
		s.owns(m.From)
		for i, epoch := range m.Epochs {
			if s.role >= Elected && epoch > s.shards[i].epoch {
				s.quit(ErrOvertaken)
				s.owner, s.vacant = m.From, s.now+Silence
				break
			}
		}
	}
	s.vote(m)
}

// forgive forgets what candidacies have come to nothing, also those of nodes that do not hear the owner.
func (s *Election) forgive() {
	s.failures = 0
	for _, p := range s.peers {
		p.past = p.report.Failures
	}
}

// vote answers a beat, or begins to keep what an answer would promise.
func (s *Election) vote(m *Message) {
	if s.now-s.started < listen {
		return // perhaps another process votes in this name
	}
	since := make([]time.Duration, s.Shards)
	wait, known := false, s.known()
	for i := range s.shards {
		v := s.shards[i].voter
		if len(m.Over) == s.Shards {
			v.Ended(m.Over[i])
			s.over[i] = max(s.over[i], m.Over[i])
		}
		if lives := m.Shown[s.Node]; len(lives) == s.Shards {
			v.Shown(m.Epochs[i], lives[i])
		}
		ago, keep, ok := v.Beat(s.now, m.Epochs[i])
		if since[i] = ago; !ok {
			since[i] = -1
		}
		wait = wait || keep
	}
	if !known && s.known() {
		if s.since = 0; m.Members != nil {
			if self := m.Members.Find(s.Node); self != nil {
				s.since = self.Since
			}
		}
	}
	if !wait {
		s.reply(m, since)
		return
	}
	if s.pending = m; s.keeping == 0 {
		s.keep()
	}
}

// reply answers a beat; without times it is refused.
func (s *Election) reply(beat *Message, since []time.Duration) {
	m := s.Message(Answer, beat.From)
	m.Epochs, m.Sent, m.Since = beat.Epochs, beat.Sent, since
	if since == nil {
		m.Since = make([]time.Duration, s.Shards)
		for i := range m.Since {
			m.Since[i] = -1
		}
	}
	if beat.From == s.Node {
		s.answered(m)
	} else {
		s.Acts.Send(m)
	}
}

// keep has the node's promises kept.
func (s *Election) keep() {
	k := Kept{Since: s.since, Drained: s.drained, Left: s.left, Promised: make([]uint64, s.Shards),
		Known: make([]bool, s.Shards)}
	for i := range s.shards {
		v := s.shards[i].voter
		_, blank := v.Blank()
		k.Promised[i], k.Known[i] = v.Promised(), !blank
	}
	s.keeping++
	s.Acts.Keep(k)
}

// Kept tells that something is kept. The beat that has waited for that is answered.
func (s *Election) Kept(now time.Duration, k Kept) {
	s.advance(now)
	defer s.finish()
	s.keeping--
	for i := range s.shards {
		if k.Known[i] {
			s.shards[i].voter.Kept(k.Promised[i])
		}
	}
	if m := s.pending; m != nil && s.keeping == 0 {
		s.pending = nil
		if m.From != s.Node || s.role >= Elected {
			s.vote(m)
		}
	}
}
