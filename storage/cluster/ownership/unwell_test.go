package ownership

import (
	"slices"
	"testing"
	"time"

	"beanfield/storage/lanes"
)

// O9: an owner that cannot append hands over, if another node could do better, and its term is over if
// that takes too long.
func TestStuckOwner(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Kept(now, a.kept[0])
	step := func(waits time.Duration) {
		now += BeatEach
		s.Waits = waits
		for _, node := range []string{"a", "c"} {
			s.Receive(now, answer(node, now, time.Hour, 0))
		}
		s.Tick(now)
	}
	if step(stuck - 1); s.Role() != Owner {
		t.Fatal("it is", s.Role())
	}
	if step(stuck); s.Role() != Leaving || a.leaves != 1 {
		t.Error("it goes on:", s.Role())
	}
	if step(2 * stuck); len(a.lost) != 1 || s.Role() != Follower {
		t.Error("its term goes on:", s.Role(), a.lost)
	}
}

// O9: an owner with a fault hands over as soon as another node is fit, and says that it cannot go on. Its engine
// may lead nothing.
func TestFaultyOwner(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("a", now, time.Hour, 0))
	unfit := answer("c", now, time.Hour, 0)
	unfit.Report.Fit = false
	s.Receive(now, unfit)
	unfit.From = "a"
	s.Receive(now, unfit)
	s.Fault = "no engine"
	if s.Tick(now + 1); s.Role() != Owner {
		t.Fatal("nobody is fit, and it is", s.Role())
	}
	s.Receive(now+2, answer("a", now+1, time.Hour, 0))
	if s.Tick(now + 3); s.Role() != Leaving || a.leaves != 1 {
		t.Error("it goes on:", s.Role())
	}
	if r := s.Report(); r.Fit || !r.Broken || r.Problems[0] != "no engine" {
		t.Errorf("it says %+v", r)
	}
	a.sent = nil
	s.End(now + 4)
	if i := slices.IndexFunc(a.sent, func(m *Message) bool { return m.Kind == Ended }); i < 0 || !a.sent[i].Unwell ||
		a.sent[i].Successor != "a" {
		t.Errorf("it ends with %+v", a.sent)
	}
	if s.Tick(now + 10*time.Second); s.Role() != Follower {
		t.Error("it stands again")
	}
}

// O9: an owner whose disk is nearly full hands over to a node that has room, if there is one; when it has room
// again it counts as before, but not at once. If the owner is lost, a node that has room takes its place.
func TestFullDisks(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t, seed, 3).begin()
		w.quiet()
		w.play(`low owner; low x; run 1s; serves y 0s; keeps y 2m; idle 300ms; refuses y owner; roomy x; keeps y 2m
			crash y; run 1900ms; serves x 0s; start y; low x; run 4s; serves y 0s; low y; keeps y 1m
			roomy owner; keeps y 59s; run 3s; serves owner 0s`)
	}
}

// An owner that is drained while it waits for its lease leaves as soon as it has it back.
func TestDrainedBeforeServing(t *testing.T) {
	s, a, now := elected(t, known(0))
	s.Kept(now, a.kept[0])
	s.Receive(now, answer("a", now, time.Hour, 0))
	now += lanes.LeaseTime
	if err := s.Obey(now, Drain, "", false); err != nil || s.Role() != Elected {
		t.Fatal(s.Role(), err)
	}
	s.Tick(now) // it beats, and answers itself
	s.Receive(now+1, answer("a", now, time.Hour, 0))
	if s.Tick(now + 2); s.Role() != Leaving || a.leaves != 1 {
		t.Error("it goes on:", s.Role())
	}
}

// A copy is fetched from a node whose own is whole, if one has such; a damaged one counts for other shards.
func TestSourceIsRatherWhole(t *testing.T) {
	s, _, now := elected(t, known(0))
	for _, c := range []struct {
		a, c  []int
		name  string
		whole bool
	}{{nil, nil, "a", true}, {[]int{0}, nil, "c", true}, {nil, []int{0}, "a", true}, {[]int{0}, []int{0}, "a", false},
		{[]int{1}, []int{0}, "a", true}} {
		for name, damaged := range map[string][]int{"a": c.a, "c": c.c} {
			m := answer(name, now, time.Hour, 0)
			m.Report.Durable, m.Report.Damaged = []uint64{5}, damaged
			s.Receive(now, m)
		}
		if name, whole := s.Source(0); name != c.name || whole != c.whole {
			t.Errorf("a has damage in %v, c in %v: %q, %v", c.a, c.c, name, whole)
		}
	}
}
