package beanstalk

import (
	"errors"
	"sync"
	"testing"

	"beanfield/storage"
)

// pushStore is a durable store whose turns are committed when they are pushed.
type pushStore struct {
	durable
	// stops makes each push in place send to arrived and wait for leave: how it ends.
	stops   bool
	arrived chan struct{}
	leave   chan error

	mu     sync.Mutex
	pushes []pushed // all of them, in order
}

// pushed is a push as the store saw it.
type pushed struct {
	shard int
	here  bool
	turns int // that waited for it
}

func newPushStore(t testing.TB) *pushStore {
	s := &pushStore{arrived: make(chan struct{}, 100), leave: make(chan error)}
	s.durable = durable{storage.Memory(), func(i int, l storage.Log) storage.Log {
		return &pushLog{Log: l, store: s, shard: i}
	}}
	t.Cleanup(func() { close(s.leave) })
	return s
}

// seen are the pushes since the last call.
func (s *pushStore) seen() (list []pushed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.pushes = s.pushes, nil
	return list
}

// inPlace is how many of the pushes since the last call of seen were to be done in place.
func (s *pushStore) inPlace() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pushes {
		if p.here {
			n++
		}
	}
	return n
}

// pushLog is a log of a pushStore.
type pushLog struct {
	storage.Log
	store *pushStore
	shard int
	wrote bool // the turn under way has; the owner's

	mu   sync.Mutex
	acks []storage.Ack
}

func (l *pushLog) Put(j *storage.Job, body ...[]byte) {
	l.wrote = true
	l.Log.Put(j, body...)
}

func (l *pushLog) Delete(j *storage.Job) {
	l.wrote = true
	l.Log.Delete(j)
}

func (l *pushLog) CommitLater(ack storage.Ack) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	wrote := l.wrote
	if l.wrote = false; !wrote && len(l.acks) == 0 {
		return true
	}
	l.acks = append(l.acks, ack)
	return false
}

// Commit is for sessions of others than loops.
func (l *pushLog) Commit(ack storage.Ack) bool {
	done := l.CommitLater(ack)
	if !done {
		go l.tell(nil)
	}
	return done
}

func (l *pushLog) Push(here bool) {
	l.mu.Lock()
	turns := len(l.acks)
	l.mu.Unlock()
	l.store.mu.Lock()
	l.store.pushes = append(l.store.pushes, pushed{l.shard, here, turns})
	l.store.mu.Unlock()
	if here && l.store.stops {
		l.store.arrived <- struct{}{}
		if <-l.store.leave != nil {
			go l.tell(errors.New("broken disk"))
			<-l.store.leave // until the test ends
			return
		}
	}
	l.tell(nil)
}

func (l *pushLog) tell(err error) {
	l.mu.Lock()
	acks := l.acks
	l.acks = nil
	l.mu.Unlock()
	for _, a := range acks {
		a.Committed(err)
	}
}
