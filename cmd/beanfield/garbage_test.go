package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
)

func TestGCPercent(t *testing.T) {
	for _, c := range []struct {
		g             garbage
		live, scanned uint64
		want          int
	}{
		{garbage{4, 32 << 20}, 0, 0, 800},              // 32 MiB beside the smallest heap
		{garbage{4, 32 << 20}, 32 << 20, 1 << 20, 100}, // as much again
		{garbage{4, 32 << 20}, 64 << 20, 32 << 20, 50}, // still 32 MiB
		{garbage{4, 32 << 20}, 256 << 20, 0, 12},
		{garbage{4, 32 << 20}, 256 << 20, 128 << 20, 50}, // half of it has pointers
		{garbage{4, 32 << 20}, 10 << 30, 1 << 20, 4},     // and no less
		{garbage{100, 32 << 20}, 10 << 30, 0, 100},
		{garbage{0, 1 << 20}, 10 << 30, 0, 1}, // 0 would collect all the time
		{garbage{4, 1 << 40}, 1 << 40, 0, 100},
	} {
		if got := c.g.percentage(c.live, c.scanned); got != c.want {
			t.Errorf("%+v, %d MiB live, %d with pointers: %d percent, want %d", c.g, c.live>>20, c.scanned>>20, got,
				c.want)
		}
	}
}

// theBounds are those of this process. They are made once, as by main: nothing ends them, and a second rule would set
// the percentage, too.
var theBounds = sync.OnceValue(func() *bounds { return garbage{4, 32 << 20}.bound() })

// The rule follows the heap: with much live data the percentage falls, and it
// rises again when the data is gone.
func TestGarbageIsBounded(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	g := garbage{4, 32 << 20}
	b := theBounds()
	data := make([]byte, 512<<20)
	settle(t, g.percent, g.percentage(512<<20, 0))
	runtime.KeepAlive(data)
	data = nil
	pointers := make([]*byte, 128<<20/8)
	settle(t, 90, 100) // as much room as there are pointers
	runtime.KeepAlive(pointers)
	pointers = nil
	settle(t, g.percentage(128<<20, 0), g.percentage(0, 0))
	b.replace(garbage{4, 1 << 30})
	settle(t, 1000, 1<<30*100/smallestHeap)
	b.replace(g)
	settle(t, g.percentage(128<<20, 0), g.percentage(0, 0))
	b.follow(true)
	follower := garbage{g.percent, followerRoom}
	settle(t, follower.percentage(128<<20, 0), follower.percentage(0, 0))
	b.replace(garbage{g.percent, 2 << 20})
	settle(t, 1, 50) // no more than is configured
	b.replace(g)
	busy, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		for {
			select {
			case <-busy:
				return
			default:
				sink = make([]byte, 1<<20)
			}
		}
	}()
	settle(t, 2*follower.percentage(0, 0), g.percentage(0, 0)) // it allocates much
	close(busy)
	<-end
	settle(t, follower.percentage(128<<20, 0), follower.percentage(0, 0))
	b.follow(false)
	settle(t, g.percentage(128<<20, 0), g.percentage(0, 0))
}

// sink is what the compiler may not leave out.
var sink []byte

// settle collects until the percentage is within bounds.
func settle(t *testing.T, least, most int) {
	t.Helper()
	got := 0
	for range 100 {
		runtime.GC()
		runtime.Gosched()
		got = debug.SetGCPercent(100)
		debug.SetGCPercent(got)
		if least <= got && got <= most {
			return
		}
	}
	t.Fatalf("the percentage is %d, want %d to %d", got, least, most)
}
