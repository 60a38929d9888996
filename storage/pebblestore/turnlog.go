package pebblestore

import (
	"errors"
	"time"

	"beanfield/storage"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/turns"
)

// append appends a group to the log.
func (l *shardLog) append(g *committer.Group) (at turns.At, err error) {
	err = l.whenRoom(nil, func() (number uint64, err error) {
		number, at, err = l.turns.Append(g.Sealed)
		return number, err
	})
	return at, err
}

// errClosing says that a copy is being closed.
var errClosing = errors.New("storage: the copies are being closed")

// whenRoom calls add, which appends to the log. While the log is full, it waits for the fold, or
// until closing is closed.
func (l *shardLog) whenRoom(closing <-chan struct{}, add func() (number uint64, err error)) error {
	for began := time.Now(); ; {
		l.writing.Lock()
		number, err := add()
		if err == nil {
			l.appended.Store(number)
		}
		l.writing.Unlock()
		if !errors.Is(err, storage.ErrNoSpace) {
			l.tallies.stallEnds(began)
			return err
		}
		l.tallies.stallBegins(began)
		l.wakeFold()
		select {
		case <-l.freed:
		case <-closing:
			return errClosing
		case <-l.fault.Dead:
			return l.fault.Err()
		}
	}
}

// sync forces the log to the disk.
func (l *shardLog) sync() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.dirty.Store(false)
	if err := l.turns.Sync(); err != nil {
		return err
	}
	l.durable.Add(1)
	return nil
}

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
