package beanstalk

import (
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// A loop that does not run is stuck, from the second look on. One that runs, sleeps, or
// has ended is not.
func TestStuckLoop(t *testing.T) {
	s, l := stillServer(t)
	never := func(state string) {
		for range 3 {
			if got := s.Stuck(); got != -1 {
				t.Errorf("a loop that %s is stuck: %d", state, got)
			}
		}
	}
	l.asleep.Store(true)
	never("sleeps")
	l.asleep.Store(false)
	far := s.enter(t)
	for i, want := range []int{-1, 0, 0} {
		if got := s.Stuck(); got != want {
			t.Errorf("look %d at a loop that stands still: %d, want %d", i, got, want)
		}
	}
	must.Do(t, syscall.SetNonblock(far, false))
	go l.serve()
	for range 2 { // the second command is read in a later round than the first
		tell(t, far, []byte("use a\r\n"))
		b := make([]byte, 20)
		if n, err := syscall.Read(far, b); string(b[:max(n, 0)]) != "USING a\r\n" {
			t.Fatalf("%q, %v", b[:max(n, 0)], err)
		}
	}
	if !l.pulse.Alive(true) {
		t.Error("no beat after two commands")
	}
	l.stop.Store(true)
	l.poll.Wake()
	<-l.done
	never("has ended")
}
