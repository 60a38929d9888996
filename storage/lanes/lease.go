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
	epoch  uint64
	voters []string        // whose answers count; nil after its end
	votes  map[string]vote // of all who have answered, whether they count or not
}

type vote struct {
	sent  time.Duration // the newest beat that was answered
	ready time.Duration // from when on nobody else counts on the one who answered
}

// NewLease is that of the owner of an epoch among some voters.
func NewLease(epoch uint64, voters ...string) *Lease {
	return &Lease{epoch, voters, map[string]vote{}}
}

// Members says whose answers count from now on (P13): also those that they have given before.
func (m *Lease) Members(voters ...string) {
	if m.voters != nil {
		m.voters = voters
	}
}

// Answered notes that a node has answered a beat for an epoch, which was sent at a time, and how
// long it is since it has answered an older epoch. Answers to another epoch's beats do not count.
func (m *Lease) Answered(now time.Duration, node string, epoch uint64, sent, since time.Duration) {
	if epoch != m.epoch {
		return
	}
	ready := now + Rest - since
	if v, given := m.votes[node]; given {
		ready, sent = min(ready, v.ready), max(sent, v.sent)
	}
	m.votes[node] = vote{sent, ready}
}

// End ends the owner's right for good: it never holds again.
func (m *Lease) End() { m.voters = nil }

// Until is when the lease lapses if nobody answers any more. It is not after now if no job may be handed out now.
func (m *Lease) Until(now time.Duration) time.Duration { return m.Among(now, m.voters...) }

// Among is Until, if these voters counted.
func (m *Lease) Among(now time.Duration, voters ...string) time.Duration {
	sent := make([]time.Duration, 0, 8)
	for _, node := range voters {
		if v, given := m.votes[node]; given && now >= v.ready {
			sent = append(sent, v.sent)
		}
	}
	need := len(voters)/2 + 1
	if len(sent) < need {
		return min(0, now)
	}
	slices.Sort(sent)
	return sent[len(sent)-need] + LeaseTime
}
