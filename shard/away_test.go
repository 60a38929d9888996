package shard

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"beanfield/storage"
)

// awayLog is a log that gives bodies back.
type awayLog struct {
	*fakeLog
	lost   bool
	stall  chan struct{} // if there is one, reading waits for it
	broken error         // what every read ends with
}

func (l *awayLog) Body(id uint64, dst []byte) ([]byte, error) {
	if l.stall != nil {
		<-l.stall
	}
	if l.broken != nil {
		return dst, l.broken
	}
	if body, ok := l.bodies[id]; ok && !l.lost {
		return append(dst, body...), nil
	}
	return nil, storage.ErrNoBody
}

// caller is a client that waits for batches that come back later.
type caller struct {
	Client
	done chan *Batch
	woke chan string
	id   uint64
}

func newCaller() *caller {
	c := &caller{done: make(chan *Batch, 1), woke: make(chan string, 1)}
	c.Client.Waiter = c
	return c
}

func (c *caller) Complete(b *Batch)  { c.done <- b }
func (c *caller) Arm() uint64        { return 1 }
func (c *caller) Waits(uint64) bool  { return true }
func (c *caller) Claim(uint64) bool  { return true }
func (c *caller) Deliver(d Delivery) { c.id = d.ID }
func (c *caller) Wake(ok bool, b []byte) {
	if !ok {
		b = []byte("lost")
	}
	c.woke <- string(b)
}

func (c *caller) ask(sh *Shard, ops ...Op) *Batch {
	b := &Batch{Client: &c.Client, Ops: ops, Done: c}
	for b.Next < len(b.Ops) {
		if !sh.Submit(b) {
			b = <-c.done
		}
		if b.Next > 0 && b.Ops[b.Next-1].Status == Waiting {
			break
		}
	}
	return b
}

func newAwayShard(t *testing.T, budget int64) (*Shard, *awayLog) {
	log := &awayLog{fakeLog: newFakeLog()}
	s := NewState(Config{Directory: quietDirectory{}, Log: log, Durable: true, Budget: budget, Pinned: "default"})
	sh := New(s, func() int64 { return 1 })
	t.Cleanup(sh.Close)
	return sh, log
}

func (c *caller) enter(sh *Shard) {
	c.ask(sh, Op{Kind: Use, Data: []byte("default")}, Op{Kind: Watch, Data: []byte("default")})
}

func putOp(id uint64, body string) Op {
	return Op{Kind: Put, ID: id, TTR: 9, Size: uint32(len(body)), Data: []byte(body)}
}

// Bodies beyond the budget are fetched for whoever asks, and memory is used
// again when jobs inside it end.
func TestBodiesAway(t *testing.T) {
	sh, _ := newAwayShard(t, 10)
	c := newCaller()
	c.enter(sh)
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"), putOp(3, "xy"))
	for id, want := range map[uint64]string{1: "12345678", 2: "abcdefgh", 3: "xy"} {
		b := c.ask(sh, Op{Kind: Peek, ID: id})
		if got := string(b.Bytes) + joinedParts(b.Ops[0].Parts); got != want {
			t.Errorf("job %d has body %q, want %q", id, got, want)
		}
	}
	if inside := sh.state.inside; inside != 10 {
		t.Errorf("%d bytes are in memory, want 10", inside)
	}
	b := c.ask(sh, Op{Kind: Reserve, Poll: true}, Op{Kind: Reserve, Poll: true}, Op{Kind: Delete, ID: 1}, Op{Kind: Delete, ID: 2})
	if got := joinedParts(b.Ops[1].Parts); got != "abcdefgh" {
		t.Errorf("reserved body %q", got)
	}
	if inside := sh.state.inside; inside != 2 {
		t.Errorf("%d bytes are in memory, want 2", inside)
	}
	if err := sh.state.Check(); err != nil {
		t.Error(err)
	}
}

func TestDeliveryAway(t *testing.T) {
	sh, _ := newAwayShard(t, 1)
	worker, producer := newCaller(), newCaller()
	worker.enter(sh)
	producer.enter(sh)
	if b := worker.ask(sh, Op{Kind: Reserve}); b.Ops[0].Status != Waiting {
		t.Fatal("the worker does not wait")
	}
	producer.ask(sh, putOp(1, "abcdefgh"))
	if body := <-worker.woke; body != "abcdefgh" || worker.id != 1 {
		t.Errorf("job %d is delivered with body %q", worker.id, body)
	}
}

// Whoever was given a job may leave while its body is read. The log must not be
// closed before that has ended.
func TestCloseWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &awayLog{fakeLog: newFakeLog(), stall: make(chan struct{})}
		sh := New(NewState(Config{Directory: quietDirectory{}, Log: log, Durable: true, Budget: 1, Pinned: "default"}), func() int64 { return 1 })
		worker, producer := newCaller(), newCaller()
		worker.enter(sh)
		producer.enter(sh)
		worker.ask(sh, Op{Kind: Reserve})
		if sh.Submit(&Batch{Client: &producer.Client, Ops: []Op{putOp(1, "abcdefgh")}, Done: producer}) {
			t.Fatal("answered without the body")
		}
		worker.ask(sh, Op{Kind: Detach}, Op{Kind: Ignore, Data: []byte("default")}, Op{Kind: Unuse})
		closed := make(chan struct{})
		go func() {
			sh.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed while a body is being read")
		default:
		}
		close(log.stall)
		<-closed
		<-producer.done
		<-worker.woke
	})
}

// A body that the log has lost, or cannot read, is never made up, and its job
// is not said to be gone.
func TestBodyLost(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c := newCaller()
	c.enter(sh)
	c.ask(sh, putOp(1, "abcdefgh"))
	fails := func(why string) {
		for _, op := range []Op{{Kind: Peek, ID: 1}, {Kind: PeekReady}, {Kind: Reserve, Poll: true}} {
			if b := c.ask(sh, op); b.Ops[0].Status != Failed {
				t.Errorf("%s: operation %d ends with %v", why, op.Kind, b.Ops[0].Status)
			}
		}
	}
	log.lost = true
	fails("lost")
	c.ask(sh, Op{Kind: Release, ID: 1})
	log.lost, log.broken = false, errors.New("the sector is bad")
	fails("not readable")
}

// overtaken is a peek that another's delete of job 1 overtakes: it has been
// committed, and has not found the body. The delete is still to be committed.
func overtaken(t *testing.T, peek Op) (sh *Shard, log *awayLog, c, other *caller, b *Batch) {
	sh, log = newAwayShard(t, 1)
	c, other = newCaller(), newCaller()
	c.enter(sh)
	other.enter(sh)
	c.ask(sh, putOp(1, "abcdefgh"), putOp(2, "ijklmnop"))
	log.slow = true
	b = &Batch{Client: &c.Client, Ops: []Op{peek, {Kind: Peek, ID: 2}}, Done: c}
	if sh.Submit(b) {
		t.Fatal("a peek is answered without the log")
	}
	peeking := log.commits
	log.commits = nil
	if sh.Submit(&Batch{Client: &other.Client, Ops: []Op{{Kind: Delete, ID: 1}}, Done: other}) {
		t.Fatal("a delete is answered without the log")
	}
	for _, ack := range peeking {
		ack.Committed(nil)
	}
	if b = <-c.done; b.Next != 0 {
		t.Fatalf("the peek ends with %v, job %d", b.Ops[0].Status, b.Ops[0].ID)
	}
	return sh, log, c, other, b
}

// A job that others delete while its body is read makes way for the next.
func TestBodyDeletedWhileRead(t *testing.T) {
	sh, log, c, other, b := overtaken(t, Op{Kind: PeekReady})
	log.slow = false
	log.release(nil)
	<-other.done
	for b.Next < len(b.Ops) {
		if !sh.Submit(b) {
			b = <-c.done
		}
	}
	for i := range b.Ops {
		if op := &b.Ops[i]; op.Status != OK || op.ID != 2 || joinedParts(op.Parts) != "ijklmnop" {
			t.Errorf("peek %d ends with %v, job %d, body %q", i, op.Status, op.ID, joinedParts(op.Parts))
		}
	}
}

// A reader of the log sees a delete before it is safe. That a job is gone is
// only said after (L1).
func TestDeletedBodyWaitsForTheDelete(t *testing.T) {
	sh, log, c, other, b := overtaken(t, Op{Kind: Peek, ID: 1})
	if sh.Submit(b) {
		t.Fatal("a peek is answered before the delete that it has seen")
	}
	if len(log.commits) != 2 {
		t.Fatalf("%d turns wait for the log, want that of the delete and that of the peek", len(log.commits))
	}
	log.release(nil)
	<-other.done
	if b = <-c.done; b.Next == 0 || b.Ops[0].Status != NotFound {
		t.Errorf("after the delete, peek ends with %v", b.Ops[0].Status)
	}
}

// After the log has failed every answer says so, also that of a command which
// changed nothing, and a waiter is not sent what it was given.
func TestFailedLog(t *testing.T) {
	sh, log := newAwayShard(t, 0)
	worker, producer := newCaller(), newCaller()
	worker.enter(sh)
	producer.enter(sh)
	worker.ask(sh, Op{Kind: Reserve})
	log.slow = true
	fail := func(ops ...Op) *Batch {
		b := &Batch{Client: &producer.Client, Ops: ops, Done: producer}
		if sh.Submit(b) {
			t.Fatal("answered without the log")
		}
		log.release(errors.New("the disk is gone"))
		return <-producer.done
	}
	if b := fail(putOp(1, "x")); b.Ops[0].Status != Failed {
		t.Errorf("put ends with %v", b.Ops[0].Status)
	}
	if body := <-worker.woke; body != "lost" {
		t.Errorf("the waiter is sent %q", body)
	}
	if b := fail(Op{Kind: Peek, ID: 1}); b.Ops[0].Status != Failed {
		t.Errorf("peek ends with %v", b.Ops[0].Status)
	}
}

// A batch that had stopped for a body when the log failed goes on like others.
func TestFailedLogInsteadOfABody(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c := newCaller()
	c.enter(sh)
	c.ask(sh, putOp(1, "abcdefgh"))
	log.slow = true
	b := &Batch{Client: &c.Client, Ops: []Op{{Kind: Peek, ID: 1}, {Kind: Touch}, {Kind: Touch}}, Done: c}
	for _, next := range []int{1, 3} {
		if sh.Submit(b) {
			t.Fatal("answered without the log")
		}
		log.release(errors.New("the disk is gone"))
		if <-c.done; b.Next != next || b.Ops[next-1].Status != Failed {
			t.Errorf("the batch comes to %d, want %d: %v", b.Next, next, b.Ops[next-1].Status)
		}
	}
}

func joinedParts(parts [][]byte) string {
	var b strings.Builder
	for _, p := range parts {
		b.Write(p)
	}
	return b.String()
}
