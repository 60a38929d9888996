package conn

import "time"

// enter counts a client in. It waits while MaxConnections are open, and reports
// false if Stop came first, or done was closed.
func (a *Acceptor) enter(done <-chan struct{}) bool {
	for !a.take() {
		if a.worthALine() {
			a.log.Warn("accepting pauses: as many connections as allowed are open", "limit", a.limit.Load())
		}
		a.awaitLeave(a.full, done)
		if a.stopped() || isClosed(done) {
			a.nudge() // likewise
			return false
		}
	}
	if !a.full() { // or whoever wakes in vain would lose its turn
		a.nudge() // N4: the token that woke this one may stand for two who left
	}
	return true
}

// take takes one of the places that MaxConnections allows, if there is one (N1).
func (a *Acceptor) take() bool {
	for {
		n, limit := a.open.Load(), a.limit.Load()
		if limit > 0 && n >= limit {
			return false
		}
		if a.open.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (a *Acceptor) full() bool {
	limit := a.limit.Load()
	return limit > 0 && a.open.Load() >= limit
}

// awaitDescriptor waits after accepting has failed for want of descriptors or memory,
// which a connection frees when it leaves.
func (a *Acceptor) awaitDescriptor(err error) {
	if a.worthALine() {
		a.log.Error("accepting pauses", "error", err, "connections", a.open.Load())
	}
	a.awaitLeave(func() bool { return true }, nil)
}

// quiet is how long accepting may pause and go on without another line: in
// lasting shortage it does so for every connection that leaves.
const quiet = time.Minute

// worthALine says whether a pause is to be logged.
func (a *Acceptor) worthALine() bool {
	now, last := int64(time.Since(a.started))+1, a.warned.Load()
	return (last == 0 || now-last >= int64(quiet)) && a.warned.CompareAndSwap(last, now)
}

// retryAfter is how long accepting pauses at most before it tries again:
// something else in the process or on the machine may have freed a descriptor.
const retryAfter = time.Second

// awaitLeave pauses until a client leaves, if there is still a reason to, or done is closed.
func (a *Acceptor) awaitLeave(reason func() bool, done <-chan struct{}) {
	a.short.Add(1)
	defer a.short.Add(-1)
	if !reason() {
		return // a client that left before short was raised has told nobody
	}
	t := time.NewTimer(retryAfter)
	defer t.Stop()
	select {
	case <-a.freed:
	case <-a.stopping:
	case <-done:
	case <-t.C:
	}
}

// nudge lets a listener that waits for a client to leave try again.
func (a *Acceptor) nudge() {
	if a.short.Load() > 0 {
		select {
		case a.freed <- struct{}{}:
		default:
		}
	}
}
