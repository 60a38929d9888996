package slow

import (
	"sync"
	"testing"
	"time"
)

// The latest commands are remembered, the latest first, and all are counted.
func TestRecent(t *testing.T) {
	l := New(time.Second)
	for i := range kept + 7 {
		if got := len(l.Recent()); got != min(i, kept) {
			t.Fatalf("after %d commands %d are remembered", i, got)
		}
		l.Tell(Command{ID: uint64(i), Count: 2})
	}
	list := l.Recent()
	for i := range list {
		if want := uint64(kept + 6 - i); list[i].ID != want {
			t.Fatalf("place %d has command %d, want %d", i, list[i].ID, want)
		}
	}
	if n := l.Count(); n != 2*(kept+7) {
		t.Errorf("%d are counted", n)
	}
}

// SL1: any goroutine may tell and read at once.
func TestManyTell(t *testing.T) {
	l := New(time.Second)
	var telling sync.WaitGroup
	for range 4 {
		telling.Go(func() {
			for range kept {
				l.Tell(Command{Count: 1})
				l.Recent()
			}
		})
	}
	telling.Wait()
	if l.Count() != 4*kept || len(l.Recent()) != kept {
		t.Errorf("%d counted, %d remembered", l.Count(), len(l.Recent()))
	}
}

// No log finds nothing slow.
func TestNoLog(t *testing.T) {
	var l *Log
	if l.Bound() != 0 || l.Count() != 0 || l.Recent() != nil {
		t.Error("it has something")
	}
}
