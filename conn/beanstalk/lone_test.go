package beanstalk

import (
	"errors"
	"sync"
	"testing"

	"beanfield/storage"
)

// pushStore is a durable store with one log, which is durable at once but for turns
// that are to be pushed.
type pushStore struct {
	storage.Store
	log *pushLog
}

func newPushStore(t testing.TB) *pushStore {
	s := &pushStore{Store: storage.Memory(), log: &pushLog{arrived: make(chan struct{}, 100), leave: make(chan error)}}
	t.Cleanup(func() { close(s.log.leave) })
	return s
}

func (s *pushStore) Durable() bool { return true }

func (s *pushStore) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := s.Store.Open(n, shardOf)
	s.log.Log = logs[0]
	return []storage.Log{s.log}, err
}

// pushLog stops every push that is to be done in place.
type pushLog struct {
	storage.Log
	arrived chan struct{} // a push has come
	leave   chan error    // how it ends

	mu   sync.Mutex
	acks []storage.Ack
}

func (l *pushLog) CommitLater(ack storage.Ack) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acks = append(l.acks, ack)
	return false
}

func (l *pushLog) Push(here bool) {
	if here {
		l.arrived <- struct{}{}
		if <-l.leave != nil {
			go l.tell(errors.New("broken disk"))
			<-l.leave // until the test ends
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

// oneLoop is a house with one loop and one shard over a pushStore.
func oneLoop(t *testing.T) (*house, *pushLog) {
	s := newPushStore(t)
	return newHouse(t, func(o *houseOptions) { o.shards, o.Loops, o.store = 1, 1, s }), s.log
}

// inAPush has a client put until its loop is in a push.
func inAPush(h *house, log *pushLog) *client {
	c := h.dial()
	for range aloneAfter + 1 {
		c.put(0, 0, 60, "x")
	}
	if len(log.arrived) > 0 {
		h.t.Error("a push came too early")
	}
	c.send("put 0 0 60 1\r\nx\r\n")
	<-log.arrived
	return c
}

// While a push lasts, a stand-in serves the others; then the client has its answer.
func TestAStandInServesTheOthers(t *testing.T) {
	h, log := oneLoop(t)
	neighbour := h.dial()
	neighbour.do("list-tube-used", "USING default")
	c := inAPush(h, log)
	neighbour.do("list-tube-used", "USING default")
	late := h.dial()
	late.do("list-tube-used", "USING default")
	log.leave <- nil
	c.expect("INSERTED 18")
	// The disk is slow: nothing is pushed in place for a while.
	for range slowRuns {
		c.put(0, 0, 60, "x")
	}
	if len(log.arrived) > 0 {
		t.Error("a push in place right after a slow one")
	}
}

// A log that fails while a loop is in a push keeps the loop's goroutine. The client is
// told all the same, and the loop goes on.
func TestALoopOutlivesALogThatFails(t *testing.T) {
	h, log := oneLoop(t)
	c := inAPush(h, log)
	log.leave <- errors.New("broken")
	c.expect("INTERNAL_ERROR")
	c.do("list-tube-used", "USING default")
}

// Two clients that take turns wait for the log's own goroutine.
func TestNobodyIsAlone(t *testing.T) {
	h, log := oneLoop(t)
	a, b := h.dial(), h.dial()
	for range 3 * aloneAfter {
		a.put(0, 0, 60, "x")
		b.put(0, 0, 60, "x")
	}
	if len(log.arrived) > 0 {
		t.Error("a push in place, though another client was busy")
	}
}
