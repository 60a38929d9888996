package socket

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/pace"
)

// overPair is a poller that watches one end of a pair of sockets.
func overPair(t *testing.T) (p *Poller, near, far int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
	})
	p = must.Get(NewPoller())
	t.Cleanup(p.Close)
	must.Do(t, p.Add(fds[0]))
	p.Peek() // the registration's own event
	return p, fds[0], fds[1]
}

// A poller that is parked misses no event, whether it comes before the wait or during it.
func TestParkedPollerMissesNothing(t *testing.T) {
	p, near, far := overPair(t)
	var input [8]byte
	for round := range 2000 {
		if round%100 == 99 {
			p.Unpark()
		}
		if round%3 == 0 { // an earlier deadline must not end a wait without one
			if events := p.Park(round % 2); len(events) != 0 {
				t.Fatalf("round %d: %d events before anything has come", round, len(events))
			}
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if round%2 == 0 {
				p.Wake()
			} else {
				syscall.Write(far, []byte("x"))
			}
		}()
		want := int32(near)
		if round%2 == 0 {
			want = int32(p.wakefd)
		}
		ms := -1
		if round%5 == 0 {
			ms = 300_000
		}
		if events := p.Park(ms); len(events) != 1 || events[0].Fd != want {
			t.Fatalf("round %d: events %v, want one of %d", round, events, want)
		}
		<-ended
		Read(near, input[:])
	}
	if p.parking == nil {
		t.Error("the poller is not in Go's")
	}
}

// A poller without a descriptor for Go's poller sleeps in its own.
func TestParksNowhere(t *testing.T) {
	p, _, far := overPair(t)
	p.Park(0)
	p.parking.file.Close()
	syscall.Write(far, []byte("x"))
	if events := p.Park(-1); len(events) != 1 || p.parking != nil {
		t.Errorf("%d events, parked %t", len(events), p.parking != nil)
	}
}

// A shard that works in turns, and yields after each, does not keep a parked loop from its
// events: without Look, Go asks its poller 10 ms later.
func TestParkedLoopBesideLongWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, near, far := overPair(t)
	defer p.Unpark()
	p.Park(0)
	var input [8]byte
	for round := range 50 {
		var woken atomic.Bool
		parking := p.parking
		go func() {
			// As the loop does: a wait may end without events, if Look came late for the last.
			for len(p.Park(-1)) == 0 && len(p.Peek()) == 0 {
			}
			Read(near, input[:])
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
