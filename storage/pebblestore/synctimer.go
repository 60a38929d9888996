package pebblestore

import "time"

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
