package beanstalk

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage/pace"
)

// A poller that is parked misses no event, whether it comes before the wait or during it.
func TestParkedPollerMissesNothing(t *testing.T) {
	l, near, far := loopOverPair(t)
	var input [8]byte
	for round := range 2000 {
		if round%100 == 99 {
			l.poll.unpark()
		}
		if round%3 == 0 { // an earlier deadline must not end a wait without one
			if events := l.poll.park(round % 2); len(events) != 0 {
				t.Fatalf("round %d: %d events before anything has come", round, len(events))
			}
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if round%2 == 0 {
				l.poll.wake()
			} else {
				syscall.Write(far, []byte("x"))
			}
		}()
		want := int32(near)
		if round%2 == 0 {
			want = int32(l.poll.wakefd)
		}
		ms := -1
		if round%5 == 0 {
			ms = int(patience.Milliseconds())
		}
		if events := l.poll.park(ms); len(events) != 1 || events[0].Fd != want {
			t.Fatalf("round %d: events %v, want one of %d", round, events, want)
		}
		<-ended
		read(near, input[:])
	}
	if l.poll.parking == nil {
		t.Error("the poller is not in Go's")
	}
}

// A poller without a descriptor for Go's poller sleeps in its own.
func TestParksNowhere(t *testing.T) {
	l, _, far := loopOverPair(t)
	l.poll.park(0)
	l.poll.parking.file.Close()
	syscall.Write(far, []byte("x"))
	if events := l.poll.park(-1); len(events) != 1 || l.poll.parking != nil {
		t.Errorf("%d events, parked %t", len(events), l.poll.parking != nil)
	}
}

// TestLoopsPark has a client of another face come, and leave. The loops park meanwhile, if
// there is no processor without a loop.
func TestLoopsPark(t *testing.T) {
	for _, c := range []struct {
		name              string
		spare             int
		comes, goes, want bool
	}{
		{"nobody else", 0, false, false, false},
		{"another face's client", 0, true, false, true},
		{"another face's client has left", 0, true, true, false},
		{"a processor without a loop", 1, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			processors := runtime.GOMAXPROCS(0)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors + c.spare))
			h := newHouse(t, func(o *houseOptions) { o.Loops = processors })
			l, err := newLoop(h.server)
			if err != nil {
				t.Fatal(err)
			}
			defer l.poll.close()
			if c.comes {
				h.accept.AddPolled(1)
			}
			h.talk(processors)
			if c.goes {
				h.parks(l)
				h.accept.AddPolled(-1)
			}
			if parks := h.parks(l); parks != c.want {
				t.Errorf("a loop parks: %t, want %t", parks, c.want)
			}
		})
	}
}

// talk has each of so many loops serve a worker that waits, and a producer.
func (h *house) talk(loops int) {
	for range loops {
		worker, producer := h.dialUnix(), h.dialUnix()
		worker.send("reserve\r\n")
		id := producer.put(0, 0, 60, "x")
		if got, _ := worker.job("RESERVED"); got != id {
			h.t.Errorf("job %d was reserved, want %d", got, id)
		}
		worker.do(fmt.Sprintf("delete %d", id), "DELETED")
	}
}

// parks says whether a loop of the server parks when it sleeps.
func (h *house) parks(l *loop) bool {
	l.poll.wake()
	l.sleep()
	return l.poll.parking != nil
}

// A shard that works in turns, and yields after each, does not keep a parked loop from its
// events: without Look, Go asks its poller 10 ms later.
func TestParkedLoopBesideLongWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l, near, far := loopOverPair(t)
	defer l.poll.unpark()
	l.poll.park(0)
	var input [8]byte
	for round := range 50 {
		var woken atomic.Bool
		parking := l.poll.parking
		go func() {
			// As the loop does: a wait may end without events, if Look came late for the last.
			for len(l.poll.park(-1)) == 0 && len(l.poll.peek()) == 0 {
			}
			read(near, input[:])
			woken.Store(true)
		}()
		for !parking.asleep.Load() {
			runtime.Gosched()
		}
		syscall.Write(far, []byte("x"))
		steps := 0
		for ; !woken.Load(); steps++ {
			pace.StepBack()
		}
		if steps > 100 {
			t.Errorf("round %d: it wakes after %d steps", round, steps)
		}
	}
}
