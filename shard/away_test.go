package shard

import (
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// Bodies beyond the budget are fetched for any client that asks.
func TestBodiesAway(t *testing.T) {
	c := newAwayBench(t, 10).client()
	c.do("put 1 one_of_8; put 2 two_of_8; put 3 xy")
	c.says("peek 3; peek 2; peek 1", "3 xy; 2 two_of_8; 1 one_of_8")
	c.says("poll; poll; delete 1; delete 2", "1 one_of_8; 2 two_of_8; ok; ok")
}

func TestDeliveryAway(t *testing.T) {
	b := newAwayBench(t, 1)
	worker := b.client()
	worker.says("reserve", "waiting")
	b.client().do("put 1 abc")
	if w := <-worker.wakes; w.body != "abc" || w.id != 1 {
		t.Errorf("delivered is %+v", w)
	}
}

// A client that was given a job may leave before its body is read. When it has left, the read has begun, and the
// log must not be closed before that has ended.
func TestCloseWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAwayBench(t, 1)
		b.log.stall = make(chan struct{})
		worker, producer := b.client(), b.client()
		worker.do("reserve")
		b.log.Slow = true
		producer.begins(ops("put 1 abc")...)
		worker.begins(ops("detach; ignore default; unuse")...)
		b.log.Release(nil)
		<-worker.answers
		closed := make(chan struct{})
		go func() {
			b.close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed while a body is being read")
		default:
		}
		close(b.log.stall)
		<-closed
		<-producer.answers
		<-worker.wakes
	})
}

// A body that cannot be read is never made up, and its job is not said to be gone.
// When the log has failed altogether, no job is quarantined for that.
func TestNothingIsReadable(t *testing.T) {
	b := newAwayBench(t, 1)
	c := b.client()
	c.do("put 1 abc")
	b.log.broken = storage.ErrNoBody
	c.says("peek 1", "failed")
	c.says("peek-ready", "failed")
	b.log.broken = errBroken
	c.do("kick-job 1")
	c.says("peek 1", "failed")
	c.says("peek-ready", "failed")
	c.says("poll", "failed")
	c.says("totals", "reserved:1")
}

// overtaken is a peek that another's delete of job 1 overtakes: it has been
// committed, and has not found the body. The delete is still to be committed.
func overtaken(t *testing.T, peek string) (c, other *client, batch *queue.Batch) {
	b := newAwayBench(t, 1)
	c, other = b.client(), b.client()
	c.do("put 1 abc; put 2 def")
	b.log.Slow = true
	batch = c.begins(ops("%s", peek+"; peek 2")...)
	peeking := b.log.Commits
	b.log.Commits = nil
	other.begins(ops("delete 1")...)
	for _, ack := range peeking {
		ack.Committed(nil)
	}
	c.ends(batch, "")
	return c, other, batch
}

// A job that others delete while its body is read makes way for the next.
func TestBodyDeletedWhileRead(t *testing.T) {
	c, other, batch := overtaken(t, "peek-ready")
	c.b.log.Slow = false
	c.b.log.Release(nil)
	<-other.answers
	c.b.expect("the peeks", said(c.run(batch)), "2 def; 2 def")
}

// A reader of the log sees a delete before it is safe. That a job is gone is
// only said after (L1).
func TestDeletedBodyWaitsForTheDelete(t *testing.T) {
	c, other, batch := overtaken(t, "peek 1")
	if c.b.sh.Submit(batch) {
		t.Fatal("a peek is answered before the delete that it has seen")
	}
	if n := len(c.b.log.Commits); n != 2 {
		t.Fatalf("%d turns wait for the log, want that of the delete and that of the peek", n)
	}
	c.b.log.Release(nil)
	<-other.answers
	if <-c.answers; batch.Next == 0 || batch.Ops[0].Status != queue.NotFound {
		t.Errorf("after the delete, peek ends with %v", batch.Ops[0].Status)
	}
}

// After the log has failed every answer says so, also that of a command which
// changed nothing, and a waiter is not sent what it was given.
func TestFailedLog(t *testing.T) {
	b := newAwayBench(t, 0)
	worker, producer := b.client(), b.client()
	worker.do("reserve")
	b.log.Slow = true
	for _, text := range []string{"put 1 x", "peek 1"} {
		batch := producer.begins(ops("%s", text)...)
		b.log.Release(errBroken)
		producer.ends(batch, "failed")
	}
	b.expect("the waiter is sent", (<-worker.wakes).body, "lost")
}

// A batch that had stopped for a body when the log failed goes on like others.
func TestFailedLogInsteadOfABody(t *testing.T) {
	b := newAwayBench(t, 1)
	c := b.client()
	c.do("put 1 abc")
	b.log.Slow = true
	batch := c.batch(ops("peek 1; touch; touch")...)
	for _, want := range []string{"failed", "failed; failed; failed"} {
		if b.sh.Submit(batch) {
			t.Fatal("answered without the log")
		}
		b.log.Release(errBroken)
		c.ends(batch, want)
	}
}

// A turn that has read bodies, and is used again, reads none: its answers come in place.
func TestTurnAfterAFetch(t *testing.T) {
	b := newAwayBench(t, 1)
	c := b.client()
	c.do("put 1 abc")
	c.says("peek 1", "1 abc")
	for i := range 4 { // each turn that there is
		if !b.sh.Submit(c.batch(ops("totals")...)) {
			<-c.answers
			t.Errorf("turn %d after it is not answered in place", i)
		}
	}
}
