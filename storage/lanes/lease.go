package lanes

import (
	"slices"
	"time"
)

const (
	// LeaseTime is how long an answer to a beat counts, from when the beat was sent.
	LeaseTime = time.Second
	// Rest is a LeaseTime by the slowest clock that is reckoned with: clocks may differ by one part in
	// twenty in how fast they run.
	Rest = LeaseTime + LeaseTime/20
)

// Lease is an owner's right to hand out jobs (P10). Times are those of its own clock.
type Lease struct {
	epoch uint64
	votes map[string]vote // of each node, whether it has answered or not
}

type vote struct {
	given bool
	sent  time.Duration // the newest beat that was answered
	ready time.Duration // from when on nobody else counts on the one who answered
}

// NewLease is that of the owner of an epoch among some nodes.
func NewLease(epoch uint64, nodes ...string) *Lease {
	m := &Lease{epoch, map[string]vote{}}
	for _, node := range nodes {
		m.votes[node] = vote{}
	}
	return m
}

// Answered notes that a node has answered a beat for an epoch, which was sent at a time, and how
// long it is since it has answered an older epoch. Answers to another epoch's beats, and those of
// others, do not count.
func (m *Lease) Answered(now time.Duration, node string, epoch uint64, sent, since time.Duration) {
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

// End ends the owner's right for good: it never holds again.
func (m *Lease) End() { m.votes = nil }

// Until is when the lease lapses if nobody answers any more. It is not after now if no job may be handed out now.
func (m *Lease) Until(now time.Duration) time.Duration {
	var sent []time.Duration
	for _, v := range m.votes {
		if v.given && now >= v.ready {
			sent = append(sent, v.sent)
		}
	}
	need := len(m.votes)/2 + 1
	if len(sent) < need {
		return min(0, now)
	}
	slices.Sort(sent)
	return sent[len(sent)-need] + LeaseTime
}
