package cells

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// member is in two lists at once, by its slot in one and by its pointer in the other.
type member struct {
	slot uint32
	own  Links[uint32]
	all  Links[*member]
}

func (m *member) links() *Links[*member] {
	if m == nil {
		return nil
	}
	return &m.all
}

// Lists of slots and of pointers have what slices would have, in the same order, whoever
// leaves; and every member knows whether it is in one (S3, S4).
func TestList(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	members := make([]member, 50) // slot 0 is none
	at := func(slot uint32) *Links[uint32] { return &members[slot].own }
	var slots List[uint32]
	var pointers List[*member]
	var want []uint32
	for step := range 5000 {
		slot := 1 + rnd.Uint32N(uint32(len(members)-1))
		m := &members[slot]
		m.slot = slot
		if i := slices.Index(want, slot); i >= 0 {
			slots.Remove(&m.own, at(m.own.Prev), at(m.own.Next))
			pointers.Remove(&m.all, m.all.Prev.links(), m.all.Next.links())
			want = slices.Delete(want, i, i+1)
		} else {
			slots.Push(slot, &m.own, at(slots.Tail))
			pointers.Push(m, &m.all, pointers.Tail.links())
			want = append(want, slot)
		}
		var got, gotToo []uint32
		if err := slots.Check(at, func(slot uint32) error { got = append(got, slot); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := pointers.Check((*member).links, func(m *member) error {
			gotToo = append(gotToo, m.slot)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || !slices.Equal(gotToo, want) {
			t.Fatalf("step %d: %v and %v, want %v", step, got, gotToo, want)
		}
		for i := 1; i < len(members); i++ {
			in := slices.Contains(want, uint32(i))
			if slots.Has(uint32(i), at(uint32(i))) != in || pointers.Has(&members[i], &members[i].all) != in {
				t.Fatalf("step %d: member %d is there: %t, and does not know", step, i, in)
			}
		}
	}
}

// A list that is broken, in whatever way, does not pass its check.
func TestListCheck(t *testing.T) {
	none := errors.New("nobody is to be seen")
	for what, spoil := range map[string]func(l *List[uint32], links []Links[uint32]){
		"count": func(l *List[uint32], _ []Links[uint32]) { l.N++ },
		"tail":  func(l *List[uint32], _ []Links[uint32]) { l.Tail = 2 },
		"link":  func(_ *List[uint32], links []Links[uint32]) { links[3].Prev = 1 },
		"see":   nil,
	} {
		links := make([]Links[uint32], 4)
		var l List[uint32]
		for slot := uint32(1); slot < 4; slot++ {
			l.Push(slot, &links[slot], &links[l.Tail])
		}
		see := func(uint32) error { return nil }
		if spoil == nil {
			see = func(uint32) error { return none }
		} else {
			spoil(&l, links)
		}
		if l.Check(func(slot uint32) *Links[uint32] { return &links[slot] }, see) == nil {
			t.Errorf("%s: the check finds nothing", what)
		}
	}
}

// A ring is first in, first out, also when it grows in the middle of its memory.
func TestRing(t *testing.T) {
	var r Ring[int]
	in, out := 0, 0
	for round := range 100 {
		for range round % 13 {
			r.Push(in)
			in++
		}
		for range round % 11 {
			if r.N == 0 {
				break
			}
			if got := r.Pop(); got != out {
				t.Fatalf("%d comes out, want %d", got, out)
			}
			out++
		}
		if r.N != in-out {
			t.Fatalf("%d are there, want %d", r.N, in-out)
		}
	}
}
