package ownership

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"beanfield/storage/lanes"
)

// acted notes what an election has done.
type acted struct {
	sent   []*Message
	kept   []Kept
	begun  int
	lost   []error
	leaves int
	stands int
	purged []uint64
}

func (a *acted) Send(m *Message)      { a.sent = append(a.sent, m) }
func (a *acted) Stand()               { a.stands++ }
func (a *acted) Resign()              {}
func (a *acted) Keep(k Kept)          { a.kept = append(a.kept, k) }
func (a *acted) Begin([]uint64)       { a.begun++ }
func (a *acted) Hold(time.Duration)   {}
func (a *acted) Leave()               { a.leaves++ }
func (a *acted) Lose(why error)       { a.lost = append(a.lost, why) }
func (a *acted) Purge(least []uint64) { a.purged = least }

// answers are those that were sent since the last call.
func (a *acted) answers() (all []*Message) {
	for _, m := range a.sent {
		if m.Kind == Answer {
			all = append(all, m)
		}
	}
	a.sent = nil
	return all
}

const s0 = 10 * time.Second // when elections start; others are much older

// alone is an election of node b among a, b and c, of one shard.
func alone(kept Kept) (*Election, *acted) {
	a := new(acted)
	s := New(Config{
		Cluster: "test", Node: "b", Nodes: []string{"a", "b", "c"}, Shards: 1, Nonce: 7, Kept: kept,
		Random: rand.New(rand.NewPCG(1, 1)), Acts: a,
	}, s0)
	s.shards[0].read = true
	return s, a
}

func known(epoch uint64) Kept { return Kept{Promised: []uint64{epoch}, Known: []bool{true}} }

func from(node string, kind Kind) *Message {
	return &Message{Version: Major, Kind: kind, Cluster: "test", From: node, Nonce: 99, Report: Report{
		Role: "follower", Fit: true, Silent: true, Promised: []uint64{0}, Places: []uint64{0}, Durable: []uint64{0},
	}}
}

func beatOf(epoch uint64) *Message {
	m := from("a", Beat)
	m.Epochs, m.Sent, m.Over = []uint64{epoch}, 5, []uint64{0}
	return m
}

// O6: an answer is given when its promise is kept, and not before, nor by a process that has just started; older
// epochs are refused, also after a restart.
func TestPromises(t *testing.T) {
	s, a := alone(known(0))
	if s.Receive(s0+listen-1, beatOf(2)); len(a.kept) != 0 {
		t.Error("it votes before it has looked around")
	}
	now := s0 + 2*time.Second
	s.Receive(now, beatOf(3))
	if got := a.answers(); len(got) != 0 || len(a.kept) != 1 || a.kept[0].Promised[0] != 3 {
		t.Fatalf("before it is kept: %d answers, to be kept %+v", len(got), a.kept)
	}
	s.Kept(now+time.Millisecond, a.kept[0])
	if got := a.answers(); len(got) != 1 || got[0].Since[0] < 0 || got[0].To != "a" || got[0].Sent != 5 {
		t.Fatalf("when it is kept: %+v", got)
	}
	for name, s2 := range map[string]*Election{"it": s, "a restarted one": func() *Election {
		s2, _ := alone(a.kept[0])
		return s2
	}()} {
		b := s2.Acts.(*acted)
		s2.Receive(now+time.Second, beatOf(2))
		if got := b.answers(); len(got) != 1 || got[0].Since[0] >= 0 || got[0].Report.Promised[0] != 3 {
			t.Errorf("%s answers an older epoch: %+v", name, got)
		}
		s2.Receive(now+time.Second, beatOf(3))
		if got := b.answers(); len(got) != 1 || got[0].Since[0] < 0 {
			t.Errorf("%s does not answer what it has promised: %+v", name, got)
		}
	}
}

// Messages of another version, another cluster or a stranger change nothing.
func TestRefusedMessages(t *testing.T) {
	for name, change := range map[string]func(m *Message){
		"version":  func(m *Message) { m.Version = Major + 1 },
		"cluster":  func(m *Message) { m.Cluster = "other" },
		"stranger": func(m *Message) { m.From = "x" },
		"shards":   func(m *Message) { m.Epochs = []uint64{3, 3} },
		"to":       func(m *Message) { m.To = "c" },
	} {
		s, a := alone(known(3))
		m := beatOf(3)
		change(m)
		s.Receive(s0+2*time.Second, m)
		if got := a.answers(); len(got) != 0 || s.Owner() != "" {
			t.Errorf("%s: %+v, owner %q", name, got, s.Owner())
		}
	}
}

// elected is the election of a node that has just won it, with an epoch. Nobody has answered it yet.
func elected(t *testing.T, kept Kept, lives ...uint64) (s *Election, a *acted, now time.Duration) {
	s, a = alone(kept)
	for now = s0; a.stands == 0 && now < s0+5*time.Second; now += HelloEach {
		for i, node := range []string{"a", "c"} {
			m := from(node, Hello)
			if i < len(lives) {
				m.Report.Life = lives[i]
			}
			s.Receive(now, m)
		}
		s.Tick(now)
	}
	if a.stands != 1 {
		t.Fatal("it does not stand:", s.mayStand())
	}
	s.Changed(now, 0, lanes.Candidate, 0, nil)
	s.Changed(now, 0, lanes.Owner, 9, nil)
	return s, a, now
}

// answer answers a beat of epoch 9.
func answer(node string, sent, since time.Duration, durable uint64) *Message {
	m := from(node, Answer)
	m.To, m.Epochs, m.Sent, m.Since, m.Report.Durable = "b", []uint64{9}, sent, []time.Duration{since},
		[]uint64{durable}
	return m
}

// O5: a blank node is shown only what was appended after it had told its life.
func TestBlankNodes(t *testing.T) {
	s, a, now := elected(t, known(0), 0, 55)
	shown := func() map[string][]uint64 {
		a.sent = nil
		now += BeatEach
		s.Tick(now)
		i := slices.IndexFunc(a.sent, func(m *Message) bool { return m.Kind == Beat })
		if i < 0 {
			t.Fatal("no beat")
		}
		return a.sent[i].Shown
	}
	if got := shown(); len(got) != 1 || got["c"][0] != 55 {
		t.Errorf("the life that was told before it stood is not shown: %v", got)
	}
	m := from("a", Hello)
	m.Report.Life = 66
	s.Receive(now, m)
	if got := shown(); got["a"] != nil {
		t.Errorf("a life that was told later is shown: %v", got)
	}
	blank := s.Blank()
	if len(blank) != 1 || blank["a"] != 66 {
		t.Errorf("still to be shown: %v", blank)
	}
	if s.Landed(now, 0, 8, blank); shown()["a"] != nil {
		t.Error("it is shown what has landed in another epoch")
	}
	if s.Landed(now, 0, 9, blank); shown()["a"][0] != 66 || s.Blank() != nil {
		t.Error("it is not shown what has landed")
	}
}

// P8: purges go up to what every counted copy has said in this ownership; a node that has not, counts
// from 0; one that was given up does not count.
func TestCountedCopies(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Copy(0).Place, s.Copy(0).Durable = 100, 80
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("a", now, time.Hour, 70))
	if a.begun != 1 {
		t.Fatal("it has no term")
	}
	least := func(want uint64) {
		t.Helper()
		now += BeatEach
		if s.Tick(now); s.Least(0) != want {
			t.Errorf("the lanes may be purged up to %d, want %d", s.Least(0), want)
		}
		s.Receive(now, answer("a", now, time.Hour, 70))
	}
	least(0)
	if err := s.Obey(now, Leave, "c", false); err != nil || !s.GivenUp("c") {
		t.Error(err)
	}
	least(70)
	if err := s.Obey(now, Leave, "a", false); err == nil {
		t.Error("too few would be left")
	}
	if err := s.Obey(now, Leave, "c", true); err != nil {
		t.Error(err)
	}
	least(0)
	s.Receive(now, answer("c", now, time.Hour, 30))
	least(30)
	for range 8 {
		least(30)
	}
	if len(a.purged) != 1 || a.purged[0] != 30 || s.Purged(0) != 30 {
		t.Errorf("purged up to %v", a.purged)
	}
}

// O3: a lease that has lapsed ends the term before anything else happens.
func TestLapse(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("a", now, time.Hour, 0))
	if !s.Serves(now) {
		t.Error("it may not serve")
	}
	s.Receive(now+lanes.LeaseTime, answer("a", now+lanes.LeaseTime/2, time.Hour, 0))
	if len(a.lost) != 1 || s.Role() != Follower {
		t.Error("the term goes on:", s.Role(), a.lost)
	}
	if s.Tick(now + 5*time.Second); s.unfit() == "" {
		t.Error("it could stand before its server has ended the term")
	}
}

// O3: a server that has not answered anybody goes on while the lease does not hold, for a Limit, and has it back
// with the next answers.
func TestLapseBeforeServing(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("a", now, time.Hour, 0))
	now += lanes.LeaseTime
	if s.Tick(now); s.Role() != Elected || len(a.lost) != 0 || s.Serves(now) {
		t.Error("it does not wait:", s.Role(), a.lost)
	}
	if s.Receive(now+1, answer("a", now, time.Hour, 0)); s.Role() != Owner || a.begun != 1 {
		t.Error("it has not got it back:", s.Role(), a.begun)
	}
	now += lanes.LeaseTime
	s.Tick(now)
	if s.Tick(now + Limit); s.Role() != Follower || len(a.lost) != 1 {
		t.Error("it waits for ever:", s.Role())
	}
}

// P8: a late answer does not say what a copy has now.
func TestLateAnswers(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Copy(0).Place, s.Copy(0).Durable = 100, 80
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("c", now, time.Hour, 90))
	for i, c := range []struct{ sent, durable, want uint64 }{{200, 3, 3}, {100, 70, 3}, {300, 5, 5}} {
		s.Receive(now+time.Second/2, answer("a", now+time.Duration(c.sent), time.Hour, c.durable))
		if s.Least(0) != c.want {
			t.Errorf("answer %d: %d counts, want %d", i, s.Least(0), c.want)
		}
	}
}

// O7: an owner whose process is another one by now serves no more; a late message of the one before does
// not end the new one's ownership.
func TestProcessesOfOneNode(t *testing.T) {
	s, _ := alone(known(0))
	now := s0 + time.Second
	s.Receive(now, beatOf(3))
	again := from("a", Hello)
	again.Nonce = 100
	if s.Receive(now, again); s.Owner() != "" || !s.silent() {
		t.Errorf("the owner's process is gone, and the owner is %q", s.Owner())
	}
	beat := beatOf(4)
	beat.Nonce = 100
	s.Receive(now, beat)
	if s.Receive(now, from("a", Hello)); s.Owner() != "a" || s.silent() {
		t.Errorf("after a late message the owner is %q", s.Owner())
	}
}

// O7: of two that could stand, the first in the order does; the other one waits a Step, and postpone
// if the first one stands, however long it does.
func TestOrderOfCandidates(t *testing.T) {
	for name, c := range map[string]struct {
		report Report // of node a, which comes before
		waits  time.Duration
	}{
		"it is fit":    {Report{Role: "follower", Silent: true, Fit: true}, Step},
		"it is unfit":  {Report{Role: "follower", Silent: true}, 0},
		"it stands":    {Report{Role: "candidate", Silent: true, Fit: true}, postpone + Step},
		"it stands on": {Report{Role: "candidate", Silent: true, Fit: true, Version: "on"}, postpone + Step},
	} {
		s, a := alone(known(0))
		now := s0
		for ; now < s0+2*time.Second; now += HelloEach { // c hears an owner till then
			for _, node := range []string{"a", "c"} {
				m := from(node, Hello)
				m.Report.Silent, m.Report.Fit = false, false
				s.Receive(now, m)
			}
			s.Tick(now)
		}
		s.vacant = now
		s.Receive(now, from("c", Hello))
		m := from("a", Hello)
		m.Report = c.report
		s.Receive(now, m)
		if c.report.Version == "on" { // it says so again and again
			s.Receive(now+postpone/2, m)
			s.Receive(now+postpone-1, m)
		}
		if c.waits > 0 {
			if s.Tick(now + c.waits - 1); a.stands != 0 {
				t.Errorf("%s: it does not wait", name)
			}
		}
		if s.Tick(now + c.waits); a.stands != 1 {
			t.Errorf("%s: it does not stand: %s", name, s.mayStand())
		}
	}
}

// P8: a node sees whether the owner counts anything of its copy.
func TestCountsNothing(t *testing.T) {
	s, _ := alone(known(0))
	s.Since = s0 - time.Minute // it has waited for its engine
	s = New(s.Config, s0)
	if s.Tick(s0 + BeatEach); s.CountsNothing(0) || s.Report().Silent {
		t.Error("before it can have heard an owner")
	}
	if s.Tick(s0 + 2*BeatEach); !s.CountsNothing(0) || !s.Report().Silent {
		t.Error("without an owner")
	}
	for _, c := range []struct {
		counted map[string][]uint64
		nothing bool
	}{{nil, true}, {map[string][]uint64{"b": {7}}, false}, {map[string][]uint64{"b": {0}, "c": {9}}, true}} {
		m := beatOf(3)
		m.Counted = c.counted
		if s.Receive(s0+time.Second, m); s.CountsNothing(0) != c.nothing {
			t.Errorf("with %v it counts nothing: %v", c.counted, !c.nothing)
		}
	}
}
