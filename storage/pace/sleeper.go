package pace

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Sleeper is somebody who waits in Go's own poller. If goroutines take turns on the only
// processor, Go asks that poller after 10 ms at the earliest.
type Sleeper interface {
	// Look wakes the sleeper if what it waits for is there. Any goroutine may call it.
	Look()
}

// sleepers are those whose Look StepBack calls.
var sleepers struct {
	mu   sync.Mutex // of changes
	list atomic.Pointer[[]Sleeper]
}

// AddSleeper makes every StepBack call s.Look from now on.
func AddSleeper(s Sleeper) {
	sleepers.mu.Lock()
	defer sleepers.mu.Unlock()
	list := append(slices.Clone(sleeping()), s)
	sleepers.list.Store(&list)
}

// RemoveSleeper takes it out again. A call of s.Look may still be under way.
func RemoveSleeper(s Sleeper) {
	sleepers.mu.Lock()
	defer sleepers.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(sleeping()), func(other Sleeper) bool { return other == s })
	sleepers.list.Store(&list)
}

func sleeping() []Sleeper {
	if list := sleepers.list.Load(); list != nil {
		return *list
	}
	return nil
}
