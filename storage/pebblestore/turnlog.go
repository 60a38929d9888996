package pebblestore

import (
	"errors"
	"time"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/turns"
)

// turnLog is where the turns of a shard are, in order, until its store has them. The one on
// this machine is locallog.Log.
type turnLog interface {
	// Append appends turns, and returns the number of their last record, and where they are.
	// storage.ErrNoSpace says that the store must catch up first.
	Append(b []byte) (number uint64, at turns.At, err error)
	// Sync makes durable what has been appended.
	Sync() error
	// Synced is the number of the last record that is known to be durable.
	Synced() uint64
	// Place is that of the last record.
	Place() turns.Place
	// ReadAt reads what was appended at a place; locallog.ErrGone says that it was trimmed.
	ReadAt(at turns.At, b []byte) error
	// Reader reads all turns behind the store's place.
	Reader() *locallog.Reader
	// Segments are what Trim frees, the oldest first.
	Segments() []locallog.Segment
	// Trim frees what has numbers up to this one.
	Trim(number uint64)
	// Used says how much of its bound the log takes; Prepare makes room ahead.
	Used() (slots, of int)
	Prepare() error
	// Size is what the log takes on the disk.
	Size() int64
	Close() error
}

// append appends a group to the log. While the log is full, it waits for the fold.
func (l *shardLog) append(g *committer.Group) (at turns.At, err error) {
	for began := time.Now(); ; {
		l.writing.Lock()
		number, at, err := l.turns.Append(g.Sealed)
		if err == nil {
			l.appended.Store(number)
		}
		l.writing.Unlock()
		if !errors.Is(err, storage.ErrNoSpace) {
			l.tallies.stallEnds(began)
			return at, err
		}
		l.tallies.stallBegins(began)
		l.wakeFold()
		select {
		case <-l.freed:
		case <-l.fault.Dead:
			return 0, l.fault.Err()
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
