package beanstalk

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// A client that has sent very many small commands at once is answered as many as its effort allows,
// or as four reads bring, then its loop's others are served, and then it goes on. Commands that the
// session plays alone count for several.
func TestEffortOfATurn(t *testing.T) {
	for _, c := range []struct {
		line, answer string
		perTurn      int
		perRead      int // 0 if one read brings all
	}{
		{"touch 99\r\n", "NOT_FOUND\r\n", effortShare, 0},
		{"touch 99\r\n", "NOT_FOUND\r\n", 400, 100},
		{"watch default\r\n", "WATCHING 1\r\n", effortShare / effortAlone, 0},
	} {
		const turns = 3
		n := turns*c.perTurn - 1
		s, l := stillServer(t)
		l.buf = make([]byte, len(c.line)*cmp.Or(c.perRead, 2*n))
		busy, quiet := s.enter(t), s.enter(t)
		l.serveInbox() // both are admitted
		tell(t, busy, bytes.Repeat([]byte(c.line), n))
		tell(t, quiet, []byte(c.line))
		l.serveEvents()
		if got := heard(quiet); got != c.answer {
			t.Errorf("%q: the other client is answered %q", c.line, got)
		}
		for turn, left := 1, n; left > 0; turn++ {
			want := min(c.perTurn, left)
			got := strings.Count(heard(busy), c.answer)
			if what := fmt.Sprintf("%q: in turn %d", c.line, turn); got != want {
				t.Fatalf("%s %d commands are answered, want %d", what, got, want)
			}
			if left -= got; left > 0 && l.idle() {
				t.Fatalf("%q: after turn %d it does not ask for another", c.line, turn)
			}
			l.serveInbox()
		}
		if !l.idle() {
			t.Errorf("%q: it wants another turn with nothing left to do", c.line)
		}
	}
}
