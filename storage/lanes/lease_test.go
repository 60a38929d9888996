package lanes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// clock runs at a rate of its own, from a beginning of its own.
type clock struct {
	from time.Duration
	rate float64
}

func (c clock) at(now time.Duration) time.Duration {
	return c.from + time.Duration(float64(now)*c.rate)
}

// claim is what an owner knows; its node may be cut off, and not know that it is none any more.
type claim struct {
	epoch uint64
	*Lease
	clock
}

// begin gives the node a new epoch.
func (c *claim) begin(p *parliament) {
	names := make([]string, len(p.voters))
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	c.epoch, c.Lease = p.epochs, NewLease(p.epochs, names...)
}

// beat is one under way, or its answer.
type beat struct {
	claim       *claim
	epoch       uint64 // for which it was sent; the node may have another one when it is answered
	to          int
	due         time.Duration // when it comes, by no clock of a node
	sent, since time.Duration
	answer      bool
	keeping     bool // the voter has begun to keep the epoch
	life        int  // that of the voter
}

// parliament is some voters and some owners, each with a clock, and beats between them.
type parliament struct {
	r      *rand.Rand
	now    time.Duration
	epochs uint64
	voters []*Voter
	kept   []uint64
	lives  []int
	clocks []clock
	claims []*claim
	beats  []beat
	// What is left out: an answer counts from when it comes; nobody waits for a Rest; voters
	// forget, or answer before they have kept what they promise; answers count for any epoch.
	hears, hasty, forgets, eager, mixes bool
}

func (p *parliament) clock() clock {
	return clock{time.Duration(p.r.Int64N(int64(time.Hour))), 0.98 + 0.04*p.r.Float64()}
}

// step is one event, some time later. It returns the epochs of those who may hand out jobs.
func (p *parliament) step() (holders []uint64) {
	p.now += time.Duration(p.r.Int64N(int64(40 * time.Millisecond)))
	switch what := p.r.IntN(100); {
	case what < 2 || len(p.claims) == 0:
		p.epochs++
		if n := len(p.claims); n > 0 && p.r.IntN(3) == 0 { // a node that has had another epoch
			p.claims[p.r.IntN(n)].begin(p)
		} else {
			c := &claim{clock: p.clock()}
			c.begin(p)
			p.claims = append(p.claims, c)
		}
	case what < 4:
		i := p.r.IntN(len(p.voters))
		if p.forgets {
			p.kept[i] = 0
		}
		p.lives[i]++
		p.voters[i] = NewVoter(p.kept[i], p.clocks[i].at(p.now))
	case what < 40:
		c := p.claims[len(p.claims)-1-p.r.IntN(min(3, len(p.claims)))]
		for i := range p.voters {
			p.send(beat{claim: c, epoch: c.epoch, to: i, sent: c.at(p.now)})
		}
	}
	due := slices.DeleteFunc(slices.Clone(p.beats), func(b beat) bool { return b.due > p.now })
	p.beats = slices.DeleteFunc(p.beats, func(b beat) bool { return b.due <= p.now })
	for _, b := range due {
		p.comes(b)
	}
	for _, c := range p.claims {
		if c.Holds(c.at(p.now)) {
			holders = append(holders, c.epoch)
		}
	}
	return holders
}

// send has a beat come soon, or late, or never.
func (p *parliament) send(b beat) {
	bound := 20 * time.Millisecond
	switch p.r.IntN(8) {
	case 0:
		return
	case 1:
		bound = 3 * time.Second
	}
	b.due = p.now + time.Duration(p.r.Int64N(int64(bound)))
	p.beats = append(p.beats, b)
}

func (p *parliament) comes(b beat) {
	if b.answer {
		now := b.claim.at(p.now)
		if p.hears {
			b.sent = now
		}
		if p.hasty {
			b.since = time.Hour
		}
		if p.mixes {
			b.epoch = b.claim.epoch
		}
		b.claim.Answered(now, fmt.Sprint(b.to), b.epoch, b.sent, b.since)
		return
	}
	v := p.voters[b.to]
	if b.keeping && b.life != p.lives[b.to] {
		return // a crash came first
	}
	if b.keeping {
		p.kept[b.to] = max(p.kept[b.to], b.epoch)
		v.Kept(b.epoch)
	}
	since, keep, ok := v.Beat(p.clocks[b.to].at(p.now), b.epoch)
	if keep {
		b.keeping, b.life = true, p.lives[b.to]
		b.due = p.now + time.Duration(p.r.Int64N(int64(300*time.Millisecond)))
		p.beats = append(p.beats, b)
		if p.eager {
			v.kept = b.epoch
		}
	}
	if ok {
		b.since, b.answer = since, true
		p.send(b)
	}
}

// sit plays one random course, and tells how many epochs had a holder.
func sit(seed uint64, set func(*parliament)) (epochs int, err error) {
	p := &parliament{r: rand.New(rand.NewPCG(seed, 2))}
	for range 3 + 2*p.r.IntN(2) {
		p.clocks = append(p.clocks, p.clock())
		p.voters = append(p.voters, NewVoter(0, p.clocks[len(p.clocks)-1].at(0)))
		p.kept, p.lives = append(p.kept, 0), append(p.lives, 0)
	}
	set(p)
	newest := uint64(0)
	for range 600 {
		for _, epoch := range p.step() {
			if epoch < newest {
				return epochs, fmt.Errorf("epoch %d hands out jobs after epoch %d did", epoch, newest)
			}
			if epoch > newest {
				newest = epoch
				epochs++
			}
		}
	}
	return epochs, nil
}

// P10, K7: whoever may hand out jobs is the only one, and no older epoch's owner may again, however
// late beats and answers are, whoever starts again, and though clocks do not run at one rate.
func TestOneLeaseAtATime(t *testing.T) {
	seeds := uint64(10_000)
	if brief() {
		seeds = 500
	}
	epochs := 0
	for seed := range seeds {
		n, err := sit(seed, func(*parliament) {})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		epochs += n
	}
	if epochs < int(seeds) {
		t.Errorf("only %d epochs had a holder", epochs)
	}
	t.Logf("%d epochs had a holder", epochs)
}

// P10: each part of it is needed.
func TestLeasesNeedEachPart(t *testing.T) {
	const most = 20_000
	for name, set := range map[string]func(*parliament){
		"an answer counts from when it comes": func(p *parliament) { p.hears = true },
		"a new owner does not wait":           func(p *parliament) { p.hasty = true },
		"a voter forgets what it promised":    func(p *parliament) { p.forgets = true },
		"a promise is not kept at first":      func(p *parliament) { p.eager = true },
		"an answer counts for any epoch":      func(p *parliament) { p.mixes = true },
	} {
		for seed := uint64(0); ; seed++ {
			if _, err := sit(seed, set); err != nil {
				t.Logf("%s: seed %d: %v", name, seed, err)
				break
			}
			if seed == most {
				t.Errorf("%s: %d courses found nothing", name, most)
				break
			}
		}
	}
}

// P10: an owner that is alone holds nothing; one that is answered holds its lease until a LeaseTime
// after the beat was sent, and the first one from a Rest after the voters' start.
func TestLeaseOfOneOwner(t *testing.T) {
	m, a := NewLease(1, "a", "b", "c"), NewVoter(0, 0)
	if _, keep, ok := a.Beat(0, 1); !keep || ok {
		t.Errorf("a promise that is not kept: %v, answered %v", keep, ok)
	}
	a.Kept(1)
	answer := func(now time.Duration, node string) {
		since, _, _ := a.Beat(now, 1)
		m.Answered(now, node, 1, now, since)
		m.Answered(now, "x", 1, now, since) // a stranger
	}
	for _, c := range []struct {
		at    time.Duration
		nodes string
		holds bool
	}{
		{0, "a", false}, {1, "b", false}, {Rest - 2, "a", false}, {Rest - 1, "b", false}, {Rest, "", true},
		{Rest + LeaseTime - 3, "", true}, {Rest + LeaseTime - 2, "", false}, {Rest + LeaseTime, "a", false},
		{Rest + LeaseTime, "b", true},
	} {
		if c.nodes != "" {
			answer(c.at, c.nodes)
		}
		if m.Holds(c.at) != c.holds {
			t.Errorf("at %v it holds: %v", c.at, !c.holds)
		}
		if until := m.Until(c.at); c.holds && (!m.Holds(until-1) || m.Holds(until)) {
			t.Errorf("at %v it is said to hold until %v", c.at, until)
		}
	}
	if _, _, ok := NewVoter(2, 0).Beat(1, 1); ok {
		t.Error("a voter answers an epoch that is older than what it has kept")
	}
}
