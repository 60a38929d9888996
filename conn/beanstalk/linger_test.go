package beanstalk

import (
	"syscall"
	"testing"
)

// A loop does not sleep while a shard may be about to answer, nor when something has
// happened meanwhile; but in the end it does.
func TestLingersWhileAShardIsBusy(t *testing.T) {
	l, _, far := loopOverPair(t)
	for _, c := range []struct {
		what      string
		busy      func(look int) bool
		calls     int
		looks     int
		hasEvents bool
	}{
		{"a shard that is busy twice", func(look int) bool { return look < 3 }, 1, 3, false},
		{"a shard that is always busy", func(int) bool { return true }, 1, mostYields - 1, false},
		{"input after the third look", func(look int) bool {
			if look == 3 {
				syscall.Write(far, []byte("x"))
			}
			return true
		}, 1, 3, true},
		{"an answer after the third look", func(look int) bool {
			if look == 3 {
				c := new(Conn)
				l.inbox.Push(c, &c.next)
			}
			return true
		}, 1, 3, false},
		{"no shard that owes an answer", nil, 0, 0, false},
	} {
		looks := 0
		l.calls, l.asked = c.calls, 7
		l.busy = func(shard int) bool { looks++; return shard == 7 && c.busy(looks) }
		if events := l.linger(); looks != c.looks || len(events) > 0 != c.hasEvents {
			t.Errorf("%s: asked %d times, %d events", c.what, looks, len(events))
		}
	}
}
