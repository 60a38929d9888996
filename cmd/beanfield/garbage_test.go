package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestGCPercent(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 800},        // 32 MiB beside the smallest heap
		{32 << 20, 100}, // as much again
		{64 << 20, 50},  // still 32 MiB
		{256 << 20, 12},
		{10 << 30, 4}, // and no less
	} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("%d MiB live: %d percent, want %d", c.live>>20, got, c.want)
		}
	}
}

// The rule follows the heap: with much live data the percentage falls, and it
// rises again when the data is gone.
func TestGarbageIsBounded(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	boundGarbage()
	data := make([]byte, 512<<20)
	settle(t, garbagePercent, gcPercent(512<<20))
	runtime.KeepAlive(data)
	data = nil
	settle(t, gcPercent(128<<20), gcPercent(0))
}

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
