package partition

import "testing"

// I5: of two processes that are one node the younger is told to end, or the one that was replaced by the other, and
// nobody else is, whether they hear each other or only others hear both.
func TestDuplicates(t *testing.T) {
	for _, c := range []struct{ direct, replaces bool }{{}, {true, false}, {false, true}, {true, true}} {
		direct := c.direct
		a, b := New("a", []string{"a", "b", "c"}), New("b", []string{"a", "b", "c"})
		duplicate := New("a", []string{"a", "b", "c"})
		a.duplicates.life, b.duplicates.life, duplicate.duplicates.life = 1, 2, 3
		step := func(there ...*Watch) {
			for range Each / Pace {
				for _, w := range there {
					w.Tick()
				}
			}
			for _, from := range there {
				for _, to := range there {
					if from.node == to.node && from != to && !direct {
						continue
					}
					to.Heard(from.Presence())
				}
			}
		}
		for range 50 {
			step(a, b)
		}
		goes, stays := duplicate, a
		if c.replaces {
			duplicate.LetIn(7)
			goes, stays = a, duplicate
		}
		for i := range returned + 2 {
			if stays.Duplicate() || b.Duplicate() || goes.Duplicate() && i == 0 {
				t.Fatal("I5: told too early, or not the one that goes")
			}
			step(a, b, duplicate)
		}
		if !goes.Duplicate() || stays.Duplicate() || b.Duplicate() {
			t.Errorf("I5, %+v: who goes %v, who stays %v, another node %v", c, goes.Duplicate(), stays.Duplicate(),
				b.Duplicate())
		}
	}
}

// I5: an older program tells no Since if it is a member since the beginning, and takes itself for the one that was
// replaced; an even older one knows of no Since, and says that the younger one has to go. That one stays all the same.
func TestDuplicateOfAnOlderProgram(t *testing.T) {
	for _, c := range []struct {
		since uint64
		says  []Duplicate // of the older program
		goes  uint64
	}{{5, nil, 9}, {5, []Duplicate{{"b", 1}}, 9}, {0, nil, 1}} {
		a, b := New("a", []string{"a", "b"}), New("b", []string{"a", "b"})
		b.duplicates.life = 1
		b.LetIn(c.since)
		for i := range 2 * returned {
			older := Presence{From: "b", Life: 9, Ran: 100 + i, Duplicates: c.says}
			b.Heard(older)
			a.Heard(older)
			a.Heard(b.Presence())
		}
		if told := a.Presence().Duplicates; len(told) != 1 || told[0].Younger != c.goes ||
			b.Duplicate() != (c.goes == 1) {
			t.Errorf("%+v: another node says %v; the newer program goes: %t", c, told, b.Duplicate())
		}
	}
}

// A node that is restarted again and again has no duplicate, however quickly that happens; nor has one whose
// program knows nothing of lives, or of whose former life a message comes late.
func TestRestartsAreNoDuplicates(t *testing.T) {
	for _, away := range []int{0, 1, Silent + 1} {
		a, b := New("a", []string{"a", "b", "c"}), New("b", []string{"a", "b", "c"})
		for life := range uint64(20) {
			for n := range 3 {
				for range Each / Pace {
					a.Tick()
					b.Tick()
				}
				b.Heard(Presence{From: "a", Life: life, Ran: 1 + n})
				if n == 1 && life%10 == 5 {
					b.Heard(Presence{From: "a", Life: life - 1, Ran: 3})
				}
				// as if somebody had the wrong name for a moment
				a.Heard(Presence{From: "a", Life: 100*life + uint64(n), Ran: 1})
			}
			for range away {
				a.Tick()
				b.Tick()
			}
			if got := b.Presence().Duplicates; got != nil || a.Duplicate() {
				t.Fatalf("%d ticks away: %v, %t", away, got, a.Duplicate())
			}
		}
	}
}
