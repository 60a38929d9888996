package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Pauses end over a queue longer than a turn may serve. In between the tubes
// are shut: nobody passes those who wait, and others of the shard go on.
func TestLongQueueAtTheEndOfPauses(t *testing.T) {
	const n = 3*Slice + wakes/2
	for _, end := range []string{"passes", "lifted"} {
		t.Run(end, func(t *testing.T) {
			w := newWorld(t)
			w.run("a use one\n a watch one\n a pause one 2\n z use two\n z watch two\n z pause two 2\n y watch one")
			var want []string
			for i := range n {
				u := w.user(fmt.Sprint("w", i))
				u.do("watch", []string{"one"})
				u.do("watch", []string{"two"})
				u.do("reserve", nil)
				want = append(want, fmt.Sprintf("%s:%d", u.name, i+1))
			}
			for i := range n {
				putter := w.user("a")
				if i%2 == 1 && end == "passes" { // so that the best job is now in one, now in the other
					putter = w.user("z")
				}
				putter.do("put", strings.Fields("5 0 60"))
			}
			w.now += 2*second - 1
			if end == "passes" {
				w.now++
				w.s.Tick(w.now)
			} else if got := w.user("z").do("pause", []string{"one", "0"}); got != "ok" {
				t.Fatal(got)
			}
			var given []string
			for len(given) < n {
				now := len(w.given)
				given = append(given, w.given...)
				if now > wakes || now < wakes-2 && len(given) < n {
					t.Fatalf("%d are served in a turn, want at most %d", now, wakes)
				}
				if !slices.Equal(given, want[:len(given)]) {
					t.Fatalf("the first %d are not served in order", len(given))
				}
				if err := w.check(); err != nil {
					t.Fatal(err)
				}
				if next := w.s.Next(); (next != 0 && next <= w.now) != (len(given) < n) {
					t.Fatalf("after %d of %d: next is %d", len(given), n, next)
				}
				if len(given) == n {
					break
				}
				id := fmt.Sprint(w.dir.Last + 1)
				w.run("y poll -> timeout\n z stats-tube one -> pause=0 left=0\n x use other\n x watch other\n" +
					"x put 1 0 9 -> " + id + "\n x poll -> " + id + "\n x delete " + id)
				w.given, w.wakes = nil, nil
				if more := w.s.Tick(w.now); more != (len(given)+len(w.given) < n) {
					t.Fatalf("after %d of %d: Tick says %v", len(given)+len(w.given), n, more)
				}
			}
			w.run(fmt.Sprintf("a put 5 0 60 -> %d\n y poll -> %d", w.dir.Last+1, w.dir.Last+1))
		})
	}
}

// Eight thousand wait, of whom some watch many tubes, some have left, and some watch many
// tubes: no turn serves more than wakes of them, or spends more than its share and
// the last step.
func TestVeryManyWaitersAtTheEndOfAPause(t *testing.T) {
	const n, many = 8000, 200
	w := newManyWorld(t, many+1, 0) // many is more than "default", "one" and many-1
	w.run("a use one\n a pause one 2")
	served := 0
	for i := range n {
		u := w.user(fmt.Sprint("w", i))
		u.apply(Op{Kind: Watch, Data: []byte("one")})
		if i < 400 {
			u.watchMany(many - 1 + i%8/7) // one of eight watches many
		}
		u.apply(Op{Kind: Reserve})
		if served++; i%10 == 9 {
			u.open = false // its wait has ended elsewhere, and the shard does not know yet
			served--
		}
	}
	w.fill(w.user("a"), n, 0)
	w.now += 2 * second
	turns, given := 0, 0
	for more := true; more; turns++ {
		before := w.s.waiting
		more = w.s.Tick(w.now)
		places := before - w.s.waiting
		if most := w.s.Share + (many+2)*looking + moving; len(w.given) > wakes || places > most {
			t.Fatalf("turn %d serves %d, and empties %d places", turns, len(w.given), places)
		}
		given += len(w.given)
		w.given, w.s.Woken = nil, w.s.Woken[:0]
	}
	if given != served || turns < n/wakes || w.s.waiting != 0 {
		t.Errorf("%d of %d are served in %d turns, %d wait", given, served, turns, w.s.waiting)
	}
}
