package shard

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// awayLog is a log that gives bodies back.
type awayLog struct {
	*queuetest.Log
	hurt   map[uint64]bool // jobs whose bodies cannot be read
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
	if l.hurt[id] {
		return dst, storage.ErrUnreadable
	}
	if body, ok := l.Bodies[id]; ok && !l.lost {
		return append(dst, body...), nil
	}
	return nil, storage.ErrNoBody
}

// caller is a client that waits for batches that come back later.
type caller struct {
	queue.Client
	done chan *queue.Batch
	woke chan string
	id   uint64
}

// newCaller is one that uses and watches "default".
func newCaller(sh *Shard) *caller {
	c := &caller{done: make(chan *queue.Batch, 1), woke: make(chan string, 1)}
	c.Client.Waiter = c
	c.ask(sh, queue.Op{Kind: queue.Use, Data: []byte("default")}, queue.Op{Kind: queue.Watch, Data: []byte("default")})
	return c
}

func (c *caller) Complete(b *queue.Batch)  { c.done <- b }
func (c *caller) Arm() uint64              { return 1 }
func (c *caller) Waits(uint64) bool        { return true }
func (c *caller) Claim(uint64) bool        { return true }
func (c *caller) Deliver(d queue.Delivery) { c.id = d.ID }
func (c *caller) Wake(ok bool, b []byte) {
	if !ok {
		b = []byte("lost")
	}
	c.woke <- string(b)
}

func (c *caller) ask(sh *Shard, ops ...queue.Op) *queue.Batch {
	b := &queue.Batch{Client: &c.Client, Ops: ops, Done: c}
	for b.Next < len(b.Ops) {
		if !sh.Submit(b) {
			b = <-c.done
		}
		if b.Next > 0 && b.Ops[b.Next-1].Status == queue.Waiting {
			break
		}
	}
	return b
}

func newAwayShard(t *testing.T, budget int64) (*Shard, *awayLog) {
	log := &awayLog{Log: queuetest.NewLog()}
	s := queue.NewState(queue.Config{Directory: queuetest.Deaf{}, Log: log, Durable: true, Budget: budget,
		Pinned: "default"})
	sh := New(s, func() int64 { return 1 })
	t.Cleanup(func() {
		sh.Close()
		if err := sh.state.Sound(); err != nil {
			t.Error(err)
		}
	})
	return sh, log
}

func putOp(id uint64, body string) queue.Op {
	return queue.Op{Kind: queue.Put, ID: id, TTR: 9, Size: uint32(len(body)), Data: []byte(body)}
}

// Bodies beyond the budget are fetched for any client that asks.
func TestBodiesAway(t *testing.T) {
	sh, _ := newAwayShard(t, 10)
	c := newCaller(sh)
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"), putOp(3, "xy"))
	for id, want := range map[uint64]string{1: "12345678", 2: "abcdefgh", 3: "xy"} {
		b := c.ask(sh, queue.Op{Kind: queue.Peek, ID: id})
		if got := string(b.Bytes) + string(bytes.Join(b.Ops[0].Parts, nil)); got != want {
			t.Errorf("job %d has body %q, want %q", id, got, want)
		}
	}
	b := c.ask(sh, queue.Op{Kind: queue.Reserve, Poll: true}, queue.Op{Kind: queue.Reserve, Poll: true},
		queue.Op{Kind: queue.Delete, ID: 1}, queue.Op{Kind: queue.Delete, ID: 2})
	if got := string(bytes.Join(b.Ops[1].Parts, nil)); got != "abcdefgh" {
		t.Errorf("reserved body %q", got)
	}
}

func TestDeliveryAway(t *testing.T) {
	sh, _ := newAwayShard(t, 1)
	worker, producer := newCaller(sh), newCaller(sh)
	if b := worker.ask(sh, queue.Op{Kind: queue.Reserve}); b.Ops[0].Status != queue.Waiting {
		t.Fatal("the worker does not wait")
	}
	producer.ask(sh, putOp(1, "abcdefgh"))
	if body := <-worker.woke; body != "abcdefgh" || worker.id != 1 {
		t.Errorf("job %d is delivered with body %q", worker.id, body)
	}
}

// A client that was given a job may leave before its body is read. When it has left, the read has begun, and the
// log must not be closed before that has ended.
func TestCloseWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &awayLog{Log: queuetest.NewLog(), stall: make(chan struct{})}
		sh := New(queue.NewState(queue.Config{Directory: queuetest.Deaf{}, Log: log, Durable: true, Budget: 1,
			Pinned: "default"}), func() int64 { return 1 })
		worker, producer := newCaller(sh), newCaller(sh)
		worker.ask(sh, queue.Op{Kind: queue.Reserve})
		log.Slow = true
		if sh.Submit(&queue.Batch{Client: &producer.Client, Ops: []queue.Op{putOp(1, "abcdefgh")}, Done: producer}) {
			t.Fatal("answered without the body")
		}
		if sh.Submit(&queue.Batch{Client: &worker.Client, Ops: []queue.Op{{Kind: queue.Detach},
			{Kind: queue.Ignore, Data: []byte("default")}, {Kind: queue.Unuse}}, Done: worker}) {
			t.Fatal("left before the log has what was given")
		}
		log.Release(nil)
		<-worker.done
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

// A body that cannot be read is never made up, and its job is not said to be gone.
// When the log has failed altogether, no job is quarantined for that.
func TestNothingIsReadable(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c := newCaller(sh)
	c.ask(sh, putOp(1, "abcdefgh"))
	log.lost = true
	for _, op := range []queue.Op{{Kind: queue.Peek, ID: 1}, {Kind: queue.PeekReady}} {
		if b := c.ask(sh, op); b.Ops[0].Status != queue.Failed {
			t.Errorf("lost: operation %d ends with %v", op.Kind, b.Ops[0].Status)
		}
	}
	log.lost, log.broken = false, errors.New("the log has failed")
	for _, op := range []queue.Op{{Kind: queue.Peek, ID: 1}, {Kind: queue.PeekReady},
		{Kind: queue.Reserve, Poll: true}} {
		if b := c.ask(sh, op); b.Ops[0].Status != queue.Failed {
			t.Errorf("failed: operation %d ends with %v", op.Kind, b.Ops[0].Status)
		}
	}
	if b := c.ask(sh, queue.Op{Kind: queue.Totals}); b.Sums.Damaged != 0 || b.Sums.Reserved != 1 {
		t.Errorf("afterwards %+v", b.Sums)
	}
}

// overtaken is a peek that another's delete of job 1 overtakes: it has been
// committed, and has not found the body. The delete is still to be committed.
func overtaken(t *testing.T, peek queue.Op) (sh *Shard, log *awayLog, c, other *caller, b *queue.Batch) {
	sh, log = newAwayShard(t, 1)
	c, other = newCaller(sh), newCaller(sh)
	c.ask(sh, putOp(1, "abcdefgh"), putOp(2, "ijklmnop"))
	log.Slow = true
	b = &queue.Batch{Client: &c.Client, Ops: []queue.Op{peek, {Kind: queue.Peek, ID: 2}}, Done: c}
	if sh.Submit(b) {
		t.Fatal("a peek is answered without the log")
	}
	peeking := log.Commits
	log.Commits = nil
	if sh.Submit(&queue.Batch{Client: &other.Client, Ops: []queue.Op{{Kind: queue.Delete, ID: 1}}, Done: other}) {
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
	sh, log, c, other, b := overtaken(t, queue.Op{Kind: queue.PeekReady})
	log.Slow = false
	log.Release(nil)
	<-other.done
	for b.Next < len(b.Ops) {
		if !sh.Submit(b) {
			b = <-c.done
		}
	}
	for i := range b.Ops {
		if op := &b.Ops[i]; op.Status != queue.OK || op.ID != 2 || string(bytes.Join(op.Parts, nil)) != "ijklmnop" {
			t.Errorf("peek %d ends with %v, job %d, body %q", i, op.Status, op.ID, string(bytes.Join(op.Parts, nil)))
		}
	}
}

// A reader of the log sees a delete before it is safe. That a job is gone is
// only said after (L1).
func TestDeletedBodyWaitsForTheDelete(t *testing.T) {
	sh, log, c, other, b := overtaken(t, queue.Op{Kind: queue.Peek, ID: 1})
	if sh.Submit(b) {
		t.Fatal("a peek is answered before the delete that it has seen")
	}
	if len(log.Commits) != 2 {
		t.Fatalf("%d turns wait for the log, want that of the delete and that of the peek", len(log.Commits))
	}
	log.Release(nil)
	<-other.done
	if b = <-c.done; b.Next == 0 || b.Ops[0].Status != queue.NotFound {
		t.Errorf("after the delete, peek ends with %v", b.Ops[0].Status)
	}
}

// After the log has failed every answer says so, also that of a command which
// changed nothing, and a waiter is not sent what it was given.
func TestFailedLog(t *testing.T) {
	sh, log := newAwayShard(t, 0)
	worker, producer := newCaller(sh), newCaller(sh)
	worker.ask(sh, queue.Op{Kind: queue.Reserve})
	log.Slow = true
	fail := func(ops ...queue.Op) *queue.Batch {
		b := &queue.Batch{Client: &producer.Client, Ops: ops, Done: producer}
		if sh.Submit(b) {
			t.Fatal("answered without the log")
		}
		log.Release(errors.New("the disk is gone"))
		return <-producer.done
	}
	if b := fail(putOp(1, "x")); b.Ops[0].Status != queue.Failed {
		t.Errorf("put ends with %v", b.Ops[0].Status)
	}
	if body := <-worker.woke; body != "lost" {
		t.Errorf("the waiter is sent %q", body)
	}
	if b := fail(queue.Op{Kind: queue.Peek, ID: 1}); b.Ops[0].Status != queue.Failed {
		t.Errorf("peek ends with %v", b.Ops[0].Status)
	}
}

// A batch that had stopped for a body when the log failed goes on like others.
func TestFailedLogInsteadOfABody(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c := newCaller(sh)
	c.ask(sh, putOp(1, "abcdefgh"))
	log.Slow = true
	b := &queue.Batch{Client: &c.Client, Ops: []queue.Op{{Kind: queue.Peek, ID: 1}, {Kind: queue.Touch},
		{Kind: queue.Touch}}, Done: c}
	for _, next := range []int{1, 3} {
		if sh.Submit(b) {
			t.Fatal("answered without the log")
		}
		log.Release(errors.New("the disk is gone"))
		if <-c.done; b.Next != next || b.Ops[next-1].Status != queue.Failed {
			t.Errorf("the batch comes to %d, want %d: %v", b.Next, next, b.Ops[next-1].Status)
		}
	}
}

// A turn that has read bodies, and is used again, reads none: its answers come in place.
func TestTurnAfterAFetch(t *testing.T) {
	sh, _ := newAwayShard(t, 1)
	c := newCaller(sh)
	c.ask(sh, putOp(1, "abcdefgh"))
	if got := c.ask(sh, queue.Op{Kind: queue.Peek, ID: 1}); string(bytes.Join(got.Ops[0].Parts, nil)) != "abcdefgh" {
		t.Fatalf("the body is %q", got.Ops[0].Parts)
	}
	for i := range 4 { // each turn that there is
		b := &queue.Batch{Client: &c.Client, Ops: []queue.Op{{Kind: queue.Totals}}, Done: c}
		if !sh.Submit(b) {
			<-c.done
			t.Errorf("turn %d after it is not answered in place", i)
		}
	}
}
