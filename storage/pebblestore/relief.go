package pebblestore

import (
	"errors"
	"time"
)

// While puts are refused for want of space, the space of dead jobs is freed at once,
// and not when Pebble or tidy would get to it: without puts a memtable never fills,
// and so its log, and the logs kept for reuse, would stay for ever.
//
// The work is bounded: a log is relieved only if jobs in it have died since the last
// time, at most once a second, and less often while that fails.

// relieveEvery is how often logs are relieved at most.
const relieveEvery = time.Second

// leastDead is how much of the tables must be dead for a compaction.
const leastDead = 256 << 10

// mostRest bounds how many times a log is left out after failures.
const mostRest = 60

// relief is what a log remembers of it. It belongs to the goroutine that relieves.
type relief struct {
	died   int64 // garbage that the last time has dealt with
	failed int   // times in a row
	rest   int   // times to leave out
}

// relieve is called every relieveEvery.
func (s *store) relieve() {
	if !s.space.short() {
		return
	}
	for _, l := range s.logs {
		if s.ctx.Err() == nil {
			l.relieve()
		}
	}
}

func (l *shardLog) relieve() {
	r := &l.relief
	if l.garbage.Load() == r.died {
		return
	}
	if r.rest > 0 {
		r.rest--
		return
	}
	died, err := l.giveBack()
	if l.store.ctx.Err() != nil {
		return
	}
	if err != nil {
		r.failed++
		r.rest = min(1<<min(r.failed, 6), mostRest)
		l.store.o.Logger.Warn("disk space could not be freed", "shard", l.name, "error", err.Error())
		return
	}
	*r = relief{died: died}
}

// giveBack flushes the memtable, so that its log can go, and compacts the tables
// if enough in them is dead, and if there is room for what is not. It returns the
// garbage that it has dealt with: what dies meanwhile is for the next time.
func (l *shardLog) giveBack() (died int64, err error) {
	died = l.garbage.Load()
	m, err := l.measure()
	if err != nil || m.MemTable.Count > 1 { // then a flush is under way already
		return l.relief.died, err
	}
	if done, err := l.dropLogs(); err != nil || !done {
		return l.relief.died, err
	}
	if m, err = l.measure(); err != nil {
		return died, err
	}
	live := max(0, l.live.Load())
	dead := int64(m.Table.Local.LiveSize) - live
	free, err := l.store.space.free()
	if dead < max(live/4, leastDead) || died < dead/2 || err == nil && free < live {
		return died, nil
	}
	return 0, l.compact() // which counts garbage anew
}

// dropLogs flushes, and removes the log files that are not needed after that:
// Pebble would keep them for reuse. None of those that are there before the flush
// is needed after it, but that Pebble may be reusing one under a new name; then
// there is none with the old name any more. A checkpoint needs all that it has seen:
// while one is made, nothing is done.
func (l *shardLog) dropLogs() (done bool, err error) {
	if !l.store.copying.TryLock() {
		return false, nil
	}
	defer l.store.copying.Unlock()
	before, err := l.logFiles()
	if err != nil {
		return false, err
	}
	if err := l.flush(); err != nil {
		return false, err
	}
	after, err := l.logFiles()
	if err != nil {
		return false, err
	}
	var current uint64 // the one that is written
	for n := range after {
		current = max(current, n)
	}
	for n, path := range before {
		if n >= current {
			continue
		}
		if err := l.stager.fs.Remove(path); err != nil && !isNotExist(err) {
			return false, err
		}
	}
	return true, nil
}

// logFiles are the paths of the log's files by their numbers.
func (l *shardLog) logFiles() (map[uint64]string, error) {
	fs, dir := l.stager.fs, l.stager.dir
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	paths := make(map[uint64]string)
	for _, name := range names {
		if n, ok := numbered(name, "", ".log"); ok {
			paths[n] = fs.PathJoin(dir, name)
		}
	}
	return paths, nil
}

// flush writes the memtable to a table. On a full disk that may take until there
// is space, so it does not outlast the store.
func (l *shardLog) flush() error {
	var done <-chan struct{}
	err := l.fault.guard(func() (err error) {
		done, err = l.db.AsyncFlush()
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-done:
		return l.fault.Err()
	case <-l.fault.dead:
		return l.fault.Err()
	case <-l.store.ctx.Done():
		return errors.New("the store is closed")
	}
}
