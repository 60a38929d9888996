package beanstalk

import (
	"syscall"
	"testing"
)

// A loop does not sleep while a shard may be about to answer, nor when something has
// happened meanwhile; but in the end it does.
func TestLingersWhileAShardIsBusy(t *testing.T) {
	l, _, far := loopOverPair(t)
	asked := 0
	l.calls, l.asked = 1, 7
	l.busy = func(shard int) bool { asked++; return asked < 3 }
	if events := l.linger(); len(events) != 0 || asked != 3 {
		t.Errorf("a shard that is busy twice: asked %d times, %d events", asked, len(events))
	}
	asked = 0
	l.busy = func(shard int) bool { asked++; return shard == 7 }
	if events := l.linger(); len(events) != 0 || asked != mostYields-1 {
		t.Errorf("a shard that is always busy: asked %d times, %d events", asked, len(events))
	}
	asked = 0
	l.busy = func(shard int) bool {
		if asked++; asked == 3 {
			syscall.Write(far, []byte("x"))
		}
		return true
	}
	if events := l.linger(); len(events) != 1 || asked != 3 {
		t.Errorf("input after the third look: asked %d times, %d events", asked, len(events))
	}
	asked = 0
	l.busy = func(shard int) bool {
		if asked++; asked == 3 {
			c := new(Conn)
			l.inbox.Push(c, &c.next)
		}
		return true
	}
	if events := l.linger(); len(events) != 0 || asked != 3 {
		t.Errorf("an answer after the third look: asked %d times, %d events", asked, len(events))
	}
	asked, l.calls = 0, 0
	if l.linger(); asked != 0 {
		t.Errorf("lingers though no shard owes an answer: asked %d times", asked)
	}
}
