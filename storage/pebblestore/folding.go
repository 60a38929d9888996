package pebblestore

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"beanfield/storage"
	"beanfield/storage/fold"
	"beanfield/storage/locallog"
	"beanfield/storage/pace"
)

// folding has the store of a shard follow its log, in the background. It lets the log fill
// up first: the longer turns stay there, the more of what they did has ended.

// A log that has more slots in use than foldAbove of foldOf is folded until it has at most
// foldDownTo of foldOf.
const (
	foldAbove  = 12
	foldDownTo = 8
	foldOf     = 16
)

// mostAtOnce is how many slots go into a share. It bounds the memory of one.
const mostAtOnce = 4

// lastTries is how often it tries when the store is being closed.
const lastTries = 10

// wakeFold has the fold look whether there is something to do.
func (l *shardLog) wakeFold() {
	select {
	case l.foldDue <- struct{}{}:
	default:
	}
}

// foldLoop is the goroutine of the fold. It ends after the last turn has been committed.
func (l *shardLog) foldLoop() {
	defer close(l.foldEnded)
	for {
		select {
		case <-l.foldDue:
		case <-l.foldStop:
			return
		case <-l.fault.Dead:
			return
		}
		if err := l.keepUp(); err != nil {
			l.fault.Fail(err)
			return
		}
	}
}

// keepUp folds as long as the log has too many slots in use, and sees to a free one.
func (l *shardLog) keepUp() error {
	for tries := 1; ; {
		used, of := l.turns.Used()
		full := l.tallies.waits.Load() != 0 // a group waits for room
		if !full && used*foldOf <= of*foldAbove {
			break
		}
		folded, err := l.foldSlots(min(mostAtOnce, max(1, used-of*foldDownTo/foldOf)))
		switch {
		case err == nil && folded:
			continue
		case err == nil && !full: // one long turn is still being written
			return l.prepare()
		case err != nil && !errors.Is(err, syscall.ENOSPC):
			return err
		}
		if err == nil {
			err = storage.ErrNoSpace // for another slot
		}
		if l.store.ctx.Err() != nil && tries > lastTries {
			if full && l.store.cluster == nil {
				return err // the group can wait no longer; what a copy lacks, it is given again
			}
			return nil
		}
		l.rest(tries, err)
		tries++
	}
	return l.prepare()
}

// prepare makes a slot ahead, if there is room on the disk. Otherwise the log makes do with
// those that it has.
func (l *shardLog) prepare() error {
	if err := l.turns.Prepare(); err != nil && !errors.Is(err, storage.ErrNoSpace) {
		return err
	}
	return nil
}

// rest waits while the disk is full, and then has the group that waits for room try again.
func (l *shardLog) rest(tries int, why error) {
	if tries > 1 && tries&(tries-1) == 0 { // to report each would fill the log
		l.store.o.Logger.Warn("storage: the disk is full: the log is folded later", "shard", l.name, "times", tries,
			"error", why.Error())
	}
	time.Sleep(l.store.o.foldRest)
	l.free()
}

// free tells a group that waits that there may be room in the log.
func (l *shardLog) free() {
	select {
	case l.freed <- struct{}{}:
	default:
	}
}

// foldAll has the store take all that has been appended.
func (l *shardLog) foldAll() error {
	for last := l.absorbed.Load(); ; {
		l.folding.Lock()
		done := l.place.Number >= last
		l.folding.Unlock()
		if done {
			return nil
		}
		if _, err := l.foldSlots(mostAtOnce); err != nil {
			return err
		}
	}
}

// foldSlots has the store take the turns in the oldest slots of the log, if there are any.
func (l *shardLog) foldSlots(n int) (folded bool, err error) {
	l.folding.Lock()
	defer l.folding.Unlock()
	share := l.share
	if share == nil {
		if share, err = l.collect(n); err != nil {
			l.reader.SkipTo(l.place) // so that the next one begins with the same turns
		}
		if err != nil || share == nil {
			return false, err
		}
	}
	l.share = share // if it cannot be stored now, it is the next one again
	if err := l.fault.Guard(func() error { return l.take(share) }); err != nil {
		return false, err
	}
	l.share, l.place = nil, share.Place
	l.copied.folded.Store(share.Place.Number)
	share.Done()
	l.turns.Trim(l.place.Number)
	l.free()
	return true, l.filled()
}

// collect makes a share of the oldest slots, or nil if there is nothing to fold. It sees to it
// that all turns are durable on which the share relies.
func (l *shardLog) collect(slots int) (*fold.Share, error) {
	absorbed := l.absorbed.Load() // what comes after it, the window may not know yet
	segments := l.turns.Segments()
	n := min(slots, len(segments))
	for n < len(segments) && segments[n-1].Behind.Number <= l.place.Number {
		n++ // the same turns go on there
	}
	if n == 0 || segments[n-1].Behind.Number <= l.place.Number {
		return nil, nil
	}
	segments = segments[:n]
	if l.turns.Synced() < segments[n-1].Behind.Number {
		if err := l.sync(); err != nil {
			return nil, err
		}
	}
	share, left := l.window.NewShare(), 0
	for _, s := range segments {
		left += l.window.Left(s.Seq)
	}
	share.Expect(left)
	for _, s := range segments {
		if err := l.collectSlot(share, s, absorbed); err != nil {
			return nil, err
		}
	}
	if l.reader.Place().Number == l.place.Number {
		return nil, nil
	}
	share.Seal(l.reader.Place())
	l.sealed = l.appended.Load()
	if l.turns.Synced() < l.appended.Load() {
		if err := l.sync(); err != nil {
			return nil, err
		}
	}
	return share, nil
}

// collectSlot collects the turns that end in a slot, as far as they have been absorbed.
func (l *shardLog) collectSlot(share *fold.Share, s locallog.Segment, absorbed uint64) error {
	if s.Behind.Number <= absorbed && l.window.Left(s.Seq) == 0 && s.First == l.reader.Place().Number+1 {
		l.reader.SkipTo(s.Behind)
		return nil
	}
	last := min(s.Behind.Number, absorbed)
	for work := pace.Begin(); l.reader.Place().Number < last; work.Step() {
		b, at, _, ok, err := l.reader.Next()
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("storage: %s: its log ends before record %d", l.name, last)
		}
		if err := share.Collect(b, at); err != nil {
			return err
		}
	}
	return nil
}
