package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"beanfield/storage/pace"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Sum says what a copy has once it has taken a record, so that it can be compared with others.
type Sum struct {
	At uint64 // the last record of the turns which the record asked for is part of
	format.Sum
}

// ErrPassed says that nobody can tell any more what a copy had at a record. A later one may be asked for.
var ErrPassed = errors.New("storage: the copy is past that record")

// errSumming says that a copy is being added up already.
var errSumming = errors.New("storage: the copy is being added up already")

// Sum waits until the copy of a shard has taken a record, and adds up what it has then. Equal
// records make equal sums.
//
// A store says less than the state at its place: its shares leave out what had ended by the time
// when they were sealed, though the end is behind the place. So the record may not be before any
// that this copy had taken when a share of its store was sealed, here or, if the store comes from a
// checkpoint, elsewhere. What was taken since the store was opened is checked: then the error is
// ErrPassed. The caller sees to the rest by asking for a record that no node had taken yet, or for the
// last that there is, and by asking again before a difference means anything.
//
// The copy goes on meanwhile: only its fold waits, until the log has been read. The store is
// then read as it was at that moment.
func (r *Replicas) Sum(ctx context.Context, shard int, at uint64) (Sum, error) {
	ctx, leave, ok := r.gates[shard].enter(ctx)
	if !ok {
		return Sum{}, errClosed
	}
	defer leave()
	l := r.store.logs[shard]
	if !l.copied.summing.TryLock() { // one at a time, because of its memory
		return Sum{}, errSumming
	}
	defer l.copied.summing.Unlock()
	s, err := l.sum(ctx, at)
	if err != nil {
		l.harmed(err)
		return Sum{}, l.errorf("record %d: %w", at, database.Explain(err))
	}
	return s, nil
}

func (l *shardLog) sum(ctx context.Context, at uint64) (s Sum, err error) {
	if err := l.await(ctx, at); err != nil {
		return s, err
	}
	n, values, err := l.capture(at, &s)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	work := pace.Begin()
	highest := s.MaxID
	s.Sum, err = format.SumOf(values, func() error {
		work.Step()
		return ctx.Err()
	})
	s.MaxID = highest
	return s, err
}

// capture returns the store as it is, with the net effect of all turns behind its place up to those
// that reach a record, and notes the number of their last, and the highest id.
func (l *shardLog) capture(at uint64, s *Sum) (n *pebble.Batch, values *pebble.Iterator, err error) {
	l.folding.Lock()
	defer l.folding.Unlock()
	if err := l.fault.Err(); err != nil {
		return n, nil, err
	}
	if l.place.Number > at {
		return n, nil, ErrPassed
	}
	n, err = format.Newest(l.db, func(fn func(b []byte, at turns.At) error) (err error) {
		switch s.At, err = l.turnsUpTo(at, fn); {
		case err == nil && s.At < at:
			return fmt.Errorf("the log ends before it")
		case err == nil && s.At < l.sealed:
			return ErrPassed
		}
		return err
	})
	if err != nil {
		return n, nil, err
	}
	if s.MaxID, err = format.MaxID(n); err == nil {
		values, err = format.Valued(n)
	}
	if err != nil {
		err = errors.Join(err, n.Close())
	}
	return n, values, err
}

// turnsUpTo calls fn for the turns behind the store's place, up to those that reach a record, if there are so many.
// It returns the number of their last. A copy's log may grow while it is read.
func (l *shardLog) turnsUpTo(at uint64, fn func(b []byte, at turns.At) error) (last uint64, err error) {
	r := l.turns.Reader()
	r.SkipTo(l.place)
	last = l.place.Number
	for work := pace.Begin(); last < at; work.Step() {
		b, start, behind, ok, err := r.Next()
		if err != nil || !ok {
			return last, err
		}
		if err := fn(b, start); err != nil {
			return last, err
		}
		last = behind.Number
	}
	return last, nil
}

// awaited is a record for which somebody waits.
type awaited struct {
	number uint64
	come   chan struct{}
}

// reached tells whoever waits for a record.
func (c *copied) reached(number uint64) {
	if w := c.awaited.Load(); w != nil && number >= w.number && c.awaited.CompareAndSwap(w, nil) {
		close(w.come)
	}
}

// await returns when the copy has taken whole turns up to a record.
func (l *shardLog) await(ctx context.Context, number uint64) error {
	w := &awaited{number, make(chan struct{})}
	l.copied.awaited.Store(w)
	l.copied.reached(l.absorbed.Load())
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
		l.copied.awaited.CompareAndSwap(w, nil)
		return ctx.Err()
	case <-l.fault.Dead:
		return l.fault.Err()
	}
}

// errClosed says that a copy is closed, or that a checkpoint takes its place.
var errClosed = errors.New("storage: the copy is closed, or replaced")

// gate keeps those who read a copy and those who close it apart: who closes it has the readers end first.
type gate struct {
	mu      sync.Mutex
	closed  int
	readers map[*context.CancelFunc]struct{}
	left    chan struct{} // closed when the last reader has left
}

// enter begins to read, unless the copy is closed.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed > 0 {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	if len(g.readers) == 0 {
		g.readers, g.left = map[*context.CancelFunc]struct{}{}, make(chan struct{})
	}
	g.readers[&cancel] = struct{}{}
	return ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		cancel()
		if delete(g.readers, &cancel); len(g.readers) == 0 {
			close(g.left)
		}
	}, true
}

// shut has nobody read until what it returns is called.
func (g *gate) shut() (open func()) {
	g.mu.Lock()
	g.closed++
	var left chan struct{}
	if len(g.readers) > 0 {
		left = g.left
	}
	for cancel := range g.readers {
		(*cancel)()
	}
	g.mu.Unlock()
	if left != nil {
		<-left
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed--
	}
}
