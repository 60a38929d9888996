package router

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// cutStore is a store of which a test sees every state that a crash can leave: it remembers the turns of all
// logs, and can be made again from any part of them.
type cutStore struct {
	mu    sync.Mutex
	logs  []*cutLog
	turns []cutTurn
	after func() // called after each turn, with mu; may be nil
}

// cutTurn is one turn of one log, or a moment at which a log was made secure.
type cutTurn struct {
	shard  int
	ops    []func(*queuetest.Log)
	secure bool
}

// cutLog is the log of one shard.
type cutLog struct {
	*queuetest.Log
	store  *cutStore
	shard  int
	open   []func(*queuetest.Log)
	bodies sync.Mutex // of Log: movers read them
}

// Open implements storage.Store. Jobs have been sorted to their shards by then.
func (s *cutStore) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	if n != len(s.logs) {
		*s = *s.resharded(n, shardOf)
	}
	var logs []storage.Log
	for _, l := range s.logs {
		logs = append(logs, l)
	}
	return logs, nil
}

func (s *cutStore) Durable() bool { return true }
func (s *cutStore) Close() error  { return nil }

func newCutStore(shards int) *cutStore {
	s := &cutStore{}
	for i := range shards {
		s.logs = append(s.logs, &cutLog{Log: queuetest.NewLog(), store: s, shard: i})
	}
	return s
}

// resharded is the store with its jobs on so many shards.
func (s *cutStore) resharded(n int, shardOf func(string) int) *cutStore {
	to := newCutStore(n)
	for _, l := range s.logs {
		for key, j := range l.Jobs {
			into := to.logs[shardOf(j.Tube)]
			into.Jobs[key], into.Bodies[key] = j, l.Bodies[key]
		}
	}
	for _, l := range to.logs {
		l.store = s
	}
	return to
}

// cut is the store after a crash that has left the first turns of all, and of some logs fewer: those that
// fewer names keep only so many of them.
func (s *cutStore) cut(first int, fewer map[int]int) *cutStore {
	left := newCutStore(len(s.logs))
	taken := map[int]int{}
	for _, t := range s.turns[:first] {
		most, cut := fewer[t.shard]
		if cut && taken[t.shard] == most {
			continue
		}
		for _, op := range t.ops {
			op(left.logs[t.shard].Log)
		}
		if !t.secure {
			taken[t.shard]++
		}
	}
	return left
}

func (l *cutLog) do(op func(*queuetest.Log)) {
	l.bodies.Lock()
	defer l.bodies.Unlock()
	op(l.Log)
	l.open = append(l.open, op)
}

func copyOf(j *storage.Job) *storage.Job {
	c := *j
	c.Item, c.Tube = j.Item.Clone(), strings.Clone(j.Tube)
	return &c
}

func (l *cutLog) Put(j *storage.Job, body ...[]byte) {
	c := copyOf(j)
	text := string(slices.Concat(body...))
	l.do(func(to *queuetest.Log) {
		if c.Size > storage.LargeBody {
			to.Put(copyOf(c))
			return
		}
		to.Put(copyOf(c), []byte(text))
	})
}

func (l *cutLog) Update(j *storage.Job) {
	c := copyOf(j)
	l.do(func(to *queuetest.Log) { to.Update(copyOf(c)) })
}

func (l *cutLog) Quarantine(j *storage.Job) { l.Update(j) }

func (l *cutLog) Delete(j *storage.Job) {
	c := copyOf(j)
	l.do(func(to *queuetest.Log) { to.Delete(copyOf(c)) })
}

func (l *cutLog) PutQueue(q *storage.Queue) {
	c := q.Clone()
	l.do(func(to *queuetest.Log) { to.PutQueue(c.Clone()) })
}

func (l *cutLog) DeleteQueue(tube string) {
	c := strings.Clone(tube)
	l.do(func(to *queuetest.Log) { to.DeleteQueue(c) })
}

// Stage implements storage.Log. A body that was staged outlives a crash.
func (l *cutLog) Stage(key uint64, body [][]byte, ack storage.Ack) {
	text := slices.Concat(body...)
	l.do(func(to *queuetest.Log) { to.Staged[key] = string(text) })
	go ack.Committed(nil)
}

// Commit ends a turn: it is in the log at once.
func (l *cutLog) Commit(storage.Ack) bool {
	if len(l.open) == 0 {
		return true
	}
	l.note(cutTurn{shard: l.shard, ops: l.open})
	l.open = nil
	return true
}

func (l *cutLog) note(t cutTurn) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.store.turns = append(l.store.turns, t)
	if l.store.after != nil {
		l.store.after()
	}
}

// Secure implements storage.Securer: no crash takes what is there by now.
func (l *cutLog) Secure() error {
	l.note(cutTurn{shard: l.shard, secure: true})
	return nil
}

// Body implements storage.Log.
func (l *cutLog) Body(id uint64, dst []byte) ([]byte, error) {
	l.bodies.Lock()
	defer l.bodies.Unlock()
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(l.Bodies))) {
		if storage.IDOf(key) == id {
			return append(dst, l.Bodies[key]...), nil
		}
	}
	return dst, storage.ErrNoBody
}
