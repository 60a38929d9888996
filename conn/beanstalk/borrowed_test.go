package beanstalk

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/event"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
)

// durable is a store that counts as durable, with logs of a test's.
type durable struct {
	storage.Store
	wrap func(shard int, l storage.Log) storage.Log
}

func (s durable) Durable() bool { return true }

func (s durable) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := s.Store.Open(n, shardOf)
	for i, l := range logs {
		logs[i] = s.wrap(i, l)
	}
	return logs, err
}

// holding is a house with one loop and one shard. While its log is held, no turn is committed.
func holding(t *testing.T, set ...func(*houseOptions)) (*house, *heldLog) {
	held := &heldLog{came: make(chan struct{}, 1000)}
	return newHouse(t, append(set, func(o *houseOptions) {
		o.shards, o.Loops, o.store = 1, 1, held.store()
	})...), held
}

// store is one of a single shard, whose log this is.
func (l *heldLog) store() storage.Store {
	return durable{storage.Memory(), func(_ int, below storage.Log) storage.Log {
		l.Log = below
		return l
	}}
}

type heldLog struct {
	storage.Log
	came chan struct{} // a turn is held

	mu   sync.Mutex
	gate chan struct{} // if there is one, the next turn stops here until it is closed
	held bool
	acks []storage.Ack
}

func (l *heldLog) Commit(ack storage.Ack) bool {
	l.mu.Lock()
	if gate := l.gate; gate != nil {
		l.gate = nil
		l.mu.Unlock()
		l.came <- struct{}{}
		<-gate
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if !l.held {
		return true
	}
	l.acks = append(l.acks, ack)
	l.came <- struct{}{}
	return false
}

// hold keeps all turns from now on.
func (l *heldLog) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
}

// free commits what is held, and from now on all at once.
func (l *heldLog) free() {
	l.mu.Lock()
	l.held = false
	l.mu.Unlock()
	l.commit()
}

// await waits until a turn is held.
func (l *heldLog) await(t testing.TB) {
	t.Helper()
	select {
	case <-l.came:
	case <-time.After(patience):
		t.Fatal("no turn is held")
	}
}

// two clients have come in: that takes a turn, which must be over before a turn is held.
func (h *house) two() (one, other *client) {
	one, other = h.pair(), h.pair()
	one.do("list-tube-used", "USING default")
	other.do("list-tube-used", "USING default")
	return one, other
}

// occupy has somebody visit the one shard and stop there in a turn, until release is called.
func (h *house) occupy(held *heldLog) (release func()) {
	gate, visited := make(chan struct{}), make(chan struct{})
	held.mu.Lock()
	held.gate = gate
	held.mu.Unlock()
	go func() {
		h.visit(func(*router.Caller) {})
		close(visited)
	}()
	held.await(h.t)
	return func() {
		close(gate)
		<-visited
	}
}

// commit commits what is held.
func (l *heldLog) commit() {
	l.mu.Lock()
	acks := l.acks
	l.acks = nil
	l.mu.Unlock()
	for _, a := range acks {
		a.Committed(nil)
	}
}

// audited is such a house with an audit log; lines ends the house and reads the log.
func audited(t *testing.T, set ...func(*houseOptions)) (h *house, held *heldLog, lines func() []audit.Event) {
	file := new(must.Text)
	log := audit.New(file, slog.New(slog.DiscardHandler))
	h, held = holding(t, append(set, func(o *houseOptions) { o.Audit = log })...)
	return h, held, func() []audit.Event { return eventsIn(t, h, log, file) }
}

// eventsIn ends a house, and reads what its audit log has been told.
func eventsIn(t testing.TB, h *house, log *audit.Log, file *must.Text) (list []audit.Event) {
	h.close()
	must.Do(t, log.Close(context.Background()))
	for line := range strings.Lines(file.String()) {
		var e audit.Event
		must.Do(t, json.Unmarshal([]byte(line), &e))
		list = append(list, e)
	}
	return list
}

// B1: what the audit log says of a command that waits for its commit is what the client has
// sent, whatever others send meanwhile. Here buffers keep what they have, as in production.
func TestAuditWhileOthersSend(t *testing.T) {
	event.Spoil = nil
	defer func() { event.Spoil = poison }()
	h, held, lines := audited(t)
	c, other := h.two()
	held.hold()
	c.send("put 0 0 60 5\r\nhello\r\npause-tube default 0\r\n")
	held.await(t)
	for range 20 { // none of these needs the shard
		other.do(strings.Repeat("Z", 200), "UNKNOWN_COMMAND")
	}
	held.free()
	c.expect("INSERTED 1")
	c.expect("PAUSED")
	if list := lines(); len(list) != 1 || list[0].What != "pause-tube" || list[0].Tube != "default" {
		t.Errorf("the audit log has %+v", list)
	}
}

// B2: commands whose shard is busy keep what they were sent with until they are run.
func TestCommandsForABusyShard(t *testing.T) {
	h, held, lines := audited(t)
	c, other := h.two()
	release := h.occupy(held)
	c.send("put 0 0 60 5\r\nhello\r\npause-tube default 0\r\npeek-ready\r\n")
	for range 5 { // none of these needs the shard
		other.do(strings.Repeat("Z", 200), "UNKNOWN_COMMAND")
	}
	release()
	c.expect("INSERTED 1")
	c.expect("PAUSED")
	c.expect("FOUND 1 5\r\nhello")
	if list := lines(); len(list) != 1 || list[0].Tube != "default" {
		t.Errorf("the audit log has %+v", list)
	}
}
