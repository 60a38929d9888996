package main

import (
	"runtime"
	"time"
)

// longestGap is what a loop that does nothing but look at the clock misses of it, on
// some processors, while the time lasts: what no server there can avoid.
func longestGap(cpus string, lasting time.Duration) (time.Duration, error) {
	set, err := parseCPUs(cpus)
	if err != nil {
		return 0, err
	}
	type answer struct {
		gap time.Duration
		err error
	}
	done := make(chan answer)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its affinity
		if err := pinThread(0, set); err != nil {
			done <- answer{err: err}
			return
		}
		gap := time.Duration(0)
		for begin, last := time.Now(), time.Now(); last.Sub(begin) < lasting; {
			now := time.Now()
			gap, last = max(gap, now.Sub(last)), now
		}
		done <- answer{gap: gap}
	}()
	a := <-done
	return a.gap, a.err
}
