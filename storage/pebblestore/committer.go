package pebblestore

import (
	"fmt"
	"time"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// commitLoop is the committer: it alone applies batches, so that the owner can
// fill the next one meanwhile. Every turn that ends while a batch is on its way
// to the disk goes into the one after it: one sync serves them all.
func (l *shardLog) commitLoop() {
	defer close(l.done)
	option := pebble.NoSync
	if l.store.o.Sync == storage.Always {
		option = pebble.Sync
	}
	for {
		l.mu.Lock()
		// Closing opens the gate; what there is, is taken also then.
		for l.failed == nil && (l.gated && !l.closing || l.flight == nil && !l.take()) && !l.closing {
			l.work.Wait()
		}
		g := l.flight
		stop := g == nil || l.failed != nil
		l.applying = !stop
		l.mu.Unlock()
		if stop {
			return
		}
		if err := l.apply(g, option); err != nil {
			l.fault.fail(err)
			return
		}
		if !l.finish(g) {
			return
		}
	}
}

// take makes the open group the one that is on its way, if that can be done now.
// A turn that is under way may be followed by another at once: so its end takes
// the group for the committer, which might else never find the log between turns.
func (l *shardLog) take() bool {
	if l.hungry = l.inTurn; l.hungry || l.open.empty() {
		return false
	}
	l.handOver()
	return true
}

// apply also catches Pebble's panics: it has one when a log file cannot be
// closed or created.
func (l *shardLog) apply(g *group, option *pebble.WriteOptions) (err error) {
	if !g.written() {
		return nil // only turns that wait for those before them
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("storage: panic: %v", p)
		}
	}()
	for _, b := range g.full {
		if err := l.db.Apply(b.batch, pebble.NoSync); err != nil {
			return err
		}
	}
	if err := l.db.Apply(g.batch, option); err != nil {
		return err
	}
	if option.Sync {
		l.durable.Add(1)
	} else {
		l.dirty.Store(true)
	}
	return nil
}

// finish tells the turns of a group that they are done, and takes what has
// gathered since. It reports false when the log has failed in the meantime: the
// acks are the undertaker's then.
func (l *shardLog) finish(g *group) bool {
	l.mu.Lock()
	if l.failed != nil {
		l.mu.Unlock()
		return false
	}
	g.reset()
	l.flight, l.delivering = nil, true
	l.applying = false
	l.applied++
	l.quiet.Broadcast()
	l.mu.Unlock()
	for i, a := range g.acks {
		a.Committed(nil)
		g.acks[i] = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delivering = false
	l.waiting -= len(g.acks)
	g.acks = g.acks[:0]
	l.spare = g
	l.quiet.Broadcast()
	return true
}

// syncLoop forces the log to the disk at the store's pace, in Interval mode. It
// does so also when nothing more comes.
func (l *shardLog) syncLoop(tick <-chan time.Time, stop <-chan struct{}) {
	for {
		select {
		case <-tick:
		case <-stop:
			return
		case <-l.fault.dead:
			return
		}
		if !l.dirty.Swap(false) {
			continue
		}
		// A record without content, behind all others in the log, is synced.
		err := l.fault.guard(func() error { return l.db.LogData(nil, pebble.Sync) })
		if err != nil {
			l.fault.fail(err)
			return
		}
		l.durable.Add(1)
	}
}

// onFault ends all acknowledging: every ack from here on hears of the error. A
// turn that the committer is just telling of its success has really succeeded.
func (l *shardLog) onFault(err error) {
	err = l.errorf("%w", err)
	l.mu.Lock()
	l.failed = err
	l.work.Broadcast()
	l.quiet.Broadcast()
	l.mu.Unlock()
	l.store.report(err)
	go l.undertake(err)
}

// undertake delivers the error, in the order of the commits, to the turns that
// were under way, and then to those that still come.
func (l *shardLog) undertake(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.delivering {
		l.quiet.Wait()
	}
	var acks []storage.Ack
	for _, g := range []*group{l.flight, l.open} {
		if g != nil {
			// The batches are not touched: the committer or the owner has them.
			acks = append(acks, g.acks...)
			g.acks = nil
		}
	}
	l.flight = nil
	l.dead = append(acks, l.dead...)
	for !l.closing || len(l.dead) > 0 {
		if len(l.dead) == 0 {
			l.quiet.Wait()
			continue
		}
		acks := l.dead
		l.dead = nil
		l.mu.Unlock()
		for _, a := range acks {
			a.Committed(err)
		}
		l.mu.Lock()
	}
}

// refuse takes a turn after the failure.
func (l *shardLog) refuse(ack storage.Ack) bool {
	l.open.reset()
	l.dead = append(l.dead, ack)
	l.quiet.Broadcast()
	return false
}
