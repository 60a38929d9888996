package pebblestore

import (
	"time"

	"beanfield/storage"
)

// syncLoop syncs the log at the store's interval, in Interval mode, even
// when nothing more is committed.
func (l *shardLog) syncLoop(tick <-chan time.Time, stop <-chan struct{}) {
	for {
		select {
		case <-tick:
		case <-stop:
			return
		case <-l.fault.Dead:
			return
		}
		if !l.dirty.Load() {
			continue
		}
		if err := l.sync(); err != nil {
			l.fault.Fail(err)
			return
		}
	}
}

// Secure implements storage.Securer.
func (l *shardLog) Secure() error {
	if l.committer.Strict {
		return nil // who asks has been told that the turn is safe
	}
	if err := l.committer.Settle(); err != nil || l.store.o.Sync == storage.Never {
		return err
	}
	if err := l.sync(); err != nil {
		l.fault.Fail(err)
		return err
	}
	return nil
}
