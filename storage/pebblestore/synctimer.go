package pebblestore

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// syncLoop has Pebble sync its log at the store's interval, in Interval mode, even
// when nothing more is committed.
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
		// A record without content, after all others in the log, is synced.
		err := l.fault.guard(func() error { return l.db.LogData(nil, pebble.Sync) })
		if err != nil {
			l.fault.fail(err)
			return
		}
		l.durable.Add(1)
	}
}
