package queue

import (
	"fmt"
	"testing"
)

// checkLines looks at the lines of those who wait for room (RW1, RW2), and counts who uses tubes because of that.
func (s *State) checkLines(clients []*Client, using map[*tube]int) error {
	n, rooms := 0, 0
	for _, c := range clients {
		if c.room != nil {
			using[c.room.tube]++
			rooms++
		}
	}
	for _, t := range s.lines.tubes {
		for _, w := range t.line {
			if w.tube != t || w.client.room != w {
				return fmt.Errorf("RW1: a put in the line of %q does not know that it waits there", t.name)
			}
			n++
		}
		if len(t.line) == 0 {
			return fmt.Errorf("RW1: tube %q has no line", t.name)
		}
		if first := t.line[0]; !first.taken && s.hasRoom(t, &first.op) && !s.lines.due() {
			return fmt.Errorf("RW2: there is room for the first put in the line of %q", t.name)
		}
	}
	q, is := s.quota.(*quota)
	if n != rooms || is && n != q.waits {
		return fmt.Errorf("RW1: %d puts wait, %d clients know of it, %d are counted", n, rooms, q.waits)
	}
	return nil
}

// crowded is a world of small turns in which a put has to drop two jobs of a full tube, which takes more than one.
func crowded(t *testing.T) *world {
	w := newManyWorld(t, 0, 1)
	w.run(`
		policy default bytes=30 full=oldest
		a put-with size=10 -> 1
		a put-with size=10 -> 2
		a put-with size=10 -> 3`)
	return w
}

// A put that is being made over several turns is not given up with an earlier wait of its client (RW1).
func TestPutIsMadeBesideAnEarlierWait(t *testing.T) {
	w := crowded(t)
	w.run("a poll -> 1\nb put-with size=30 wait=9s -> waiting")
	u := w.users["b"]
	w.s.ended = append(w.s.ended, &u.client) // a reserve of this client, which has ended
	u.w.users["a"].apply(Op{Kind: Delete, ID: 1})
	for w.s.Tick(w.now) && u.client.room != nil {
		w.s.renew()
		if w.s.sweep(); u.client.room == nil {
			t.Fatal("nobody will hear of it any more")
		}
	}
	if len(w.given) != 1 || w.given[0] != "b:+4" {
		t.Errorf("given are %v", w.given)
	}
}

// However many tubes have a line, a turn looks at some of them, and nothing is left to do when all have been looked at.
func TestTurnsLookAtSomeLines(t *testing.T) {
	const lines = 5*aLook + 1
	w := newWorld(t)
	w.run("server jobs=1\na put-with -> 1")
	for i := range lines {
		w.run(fmt.Sprintf("u%d put-with tube=t%d wait=9s -> waiting", i, i))
	}
	look := func() (turns int) {
		for more := true; more; turns++ {
			w.quota.asked = 0
			if more = w.s.Tick(w.now); w.quota.asked > aLook+1 {
				t.Fatalf("a turn has looked at %d lines", w.quota.asked)
			}
		}
		return turns
	}
	look()
	w.s.Apply(w.now, &Batch{}, &Op{Kind: Peek, ID: 99})
	if turns := look(); turns < lines/aLook || turns > lines/aLook+2 {
		t.Errorf("it takes %d turns to look at all lines", turns)
	}
	w.user("a").apply(Op{Kind: Delete, ID: 1})
	if look(); len(w.given) != 1 || w.given[0] != "u0:+2" {
		t.Errorf("given are %v", w.given)
	}
}
