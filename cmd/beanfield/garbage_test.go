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
		{0, 1600},       // 64 MiB beside the smallest heap
		{64 << 20, 100}, // as much again
		{128 << 20, 50}, // still 64 MiB
		{256 << 20, 25},
		{10 << 30, 15}, // and no less
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
	settle(t, garbagePercent)
	runtime.KeepAlive(data)
	data = nil
	settle(t, gcPercent(128<<20))
}

// settle collects until the percentage is at least as told, or as told exactly
// if that is the smallest.
func settle(t *testing.T, want int) {
	t.Helper()
	got := 0
	for range 100 {
		runtime.GC()
		runtime.Gosched()
		got = debug.SetGCPercent(100)
		debug.SetGCPercent(got)
		if got == want || want > garbagePercent && got >= want {
			return
		}
	}
	t.Fatalf("the percentage is %d, want %d", got, want)
}
