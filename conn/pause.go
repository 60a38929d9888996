package conn

import (
	"slices"
	"time"
)

// enter counts a client in. It waits for a place while MaxConnections are open, behind all who wait already, and
// reports false if Stop came first, or done was closed.
func (a *Acceptor) enter(done <-chan struct{}) bool {
	if !a.take() && !a.wait(done) {
		return false
	}
	a.nudge() // N4: the token that woke this one may stand for two who left
	return true
}

// take takes a place, if there is one for which nobody waits.
func (a *Acceptor) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queue) == 0 && a.count()
}

// count counts one more in, if MaxConnections allow it (N1). Its caller has mu.
func (a *Acceptor) count() bool {
	limit := a.limit.Load()
	if limit > 0 && a.open.Load() >= limit {
		return false
	}
	a.open.Add(1)
	return true
}

// wait waits until grant has counted this one in.
func (a *Acceptor) wait(done <-chan struct{}) bool {
	turn := make(chan struct{})
	a.mu.Lock()
	a.queue = append(a.queue, turn)
	a.mu.Unlock()
	a.grant()
	a.pauses.Say(a.log.Warn, "accepting pauses: as many connections as allowed are open", "limit", a.limit.Load())
	select {
	case <-turn:
		return true
	case <-a.stopping:
	case <-done:
	}
	a.mu.Lock()
	at := slices.Index(a.queue, turn)
	if at >= 0 {
		a.queue = slices.Delete(a.queue, at, at+1)
	}
	a.mu.Unlock()
	if at < 0 { // the place came too late
		a.Left()
	}
	return false
}

// grant gives the places that are free to those who have waited longest.
func (a *Acceptor) grant() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) > 0 && a.count() {
		close(a.queue[0])
		a.queue = slices.Delete(a.queue, 0, 1)
	}
}

// retryAfter is how long accepting pauses at most for want of descriptors before it tries again: something else in the
// process or on the machine may have freed one.
const retryAfter = time.Second

// awaitDescriptor waits after accepting has failed for want of descriptors or memory,
// which a connection frees when it leaves.
func (a *Acceptor) awaitDescriptor(err error) {
	a.pauses.Say(a.log.Error, "accepting pauses", "error", err, "connections", a.open.Load())
	a.short.Add(1)
	defer a.short.Add(-1)
	select {
	case <-a.freed:
	case <-a.stopping:
	case <-time.After(retryAfter):
	}
}

// nudge says that somebody has left: to those who wait for a place, and to a listener that waits for a descriptor.
func (a *Acceptor) nudge() {
	a.grant()
	if a.short.Load() > 0 {
		select {
		case a.freed <- struct{}{}:
		default:
		}
	}
}
