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
	answered time.Duration
	older    time.Duration // when it may have answered an older epoch
}

// NewVoter is one that starts now. Promised is what it had kept before; it may have
// answered just before it ended.
func NewVoter(promised uint64, now time.Duration) *Voter {
	return &Voter{promised, now, now}
}

// Beat answers an owner's beat with how long it is since an older epoch was answered. It is
// refused if a newer one has been answered. If keep is set, the epoch is to be kept, so that the
// next NewVoter is given it, before the answer is sent.
func (v *Voter) Beat(now time.Duration, epoch uint64) (since time.Duration, keep, ok bool) {
	if epoch < v.promised {
		return 0, false, false
	}
	if keep = epoch > v.promised; keep {
		v.promised, v.older = epoch, max(v.older, v.answered)
	}
	v.answered = now
	return now - v.older, keep, true
}

// Mandate is an owner's right to hand out jobs (P10). Times are those of its own clock.
type Mandate struct {
	nodes int
	votes map[string]vote
}

type vote struct {
	sent  time.Duration // the newest beat that was answered
	ready time.Duration // from when on nobody else counts on the one who answered
}

// NewMandate is that of an owner among a number of nodes, for one epoch.
func NewMandate(nodes int) *Mandate { return &Mandate{nodes, map[string]vote{}} }

// Answered notes that a node has answered a beat, which was sent at a time, and how long it is
// since it has answered an older epoch.
func (m *Mandate) Answered(now time.Duration, node string, sent, since time.Duration) {
	v, again := m.votes[node]
	ready := now + Rest - since
	if again {
		ready = min(ready, v.ready)
	}
	m.votes[node] = vote{max(v.sent, sent), ready}
}

// Holds tells whether jobs may be handed out now.
func (m *Mandate) Holds(now time.Duration) bool {
	count := 0
	for _, v := range m.votes {
		if now-v.sent < Term && now >= v.ready {
			count++
		}
	}
	return count > m.nodes/2
}
