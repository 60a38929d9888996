package lanes

import "time"

const (
	// Term is how long an answer to a beat counts, from when the beat was sent.
	Term = time.Second
	// Rest is a Term by the slowest clock that is reckoned with: clocks may differ by one part in
	// twenty in how fast they run.
	Rest = Term + Term/20
)

// Voter is a node that answers the beats of owners. Times are those of its own clock.
type Voter struct {
	promised uint64 // it answers no older epoch
	kept     uint64 // it answers no newer epoch: a crash would take the promise
	answered time.Duration
	older    time.Duration // when it may have answered an older epoch
}

// NewVoter is one that starts now. Promised is what it had kept before; it may have
// answered just before it ended.
func NewVoter(promised uint64, now time.Duration) *Voter {
	return &Voter{promised, promised, now, now}
}

// Beat answers an owner's beat with how long it is since an older epoch was answered. It is
// refused if a newer one has been promised. If keep is set, there is no answer yet: keep the
// epoch where neither a crash nor a new copy of the store takes it, then call Kept.
func (v *Voter) Beat(now time.Duration, epoch uint64) (since time.Duration, keep, ok bool) {
	if epoch < v.promised {
		return 0, false, false
	}
	if epoch > v.promised {
		v.promised, v.older = epoch, max(v.older, v.answered)
	}
	if epoch > v.kept {
		return 0, true, false
	}
	v.answered = now
	return now - v.older, false, true
}

// Kept says that an epoch is kept, so that the next NewVoter is given it. Its beats are answered
// from now on.
func (v *Voter) Kept(epoch uint64) { v.kept = max(v.kept, epoch) }

// Mandate is an owner's right to hand out jobs (P10). Times are those of its own clock.
type Mandate struct {
	epoch uint64
	votes map[string]vote // of each node, whether it has answered or not
}

type vote struct {
	given bool
	sent  time.Duration // the newest beat that was answered
	ready time.Duration // from when on nobody else counts on the one who answered
}

// NewMandate is that of the owner of an epoch among some nodes.
func NewMandate(epoch uint64, nodes ...string) *Mandate {
	m := &Mandate{epoch, map[string]vote{}}
	for _, node := range nodes {
		m.votes[node] = vote{}
	}
	return m
}

// Answered notes that a node has answered a beat for an epoch, which was sent at a time, and how
// long it is since it has answered an older epoch. Answers to another epoch's beats, and those of
// others, do not count.
func (m *Mandate) Answered(now time.Duration, node string, epoch uint64, sent, since time.Duration) {
	v, known := m.votes[node]
	if !known || epoch != m.epoch {
		return
	}
	ready := now + Rest - since
	if v.given {
		ready, sent = min(ready, v.ready), max(sent, v.sent)
	}
	m.votes[node] = vote{true, sent, ready}
}

// Holds tells whether jobs may be handed out now.
func (m *Mandate) Holds(now time.Duration) bool {
	count := 0
	for _, v := range m.votes {
		if v.given && now-v.sent < Term && now >= v.ready {
			count++
		}
	}
	return count > len(m.votes)/2
}
