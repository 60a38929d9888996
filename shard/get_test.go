package shard

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// ringer is a get that waits.
type ringer chan struct{}

func (r ringer) TryAgain() { close(r) }

func askOp(a queue.Ask) queue.Op {
	a.Queue, a.Limits = "default", &policy.Limits{}
	return queue.Op{Kind: queue.Service, Ask: &a}
}

// found says what a get has found, "1:body 2:body".
func found(b *queue.Batch) (list []string) {
	p := b.Ops[0].Ask.Found
	for i, it := range p.Items {
		body := string(p.Small(i)) + string(bytes.Join(it.Large, nil))
		list = append(list, fmt.Sprint(it.Index, ":", body))
	}
	return list
}

// A get that waits is called when the put that it waits for is committed, and not
// before.
func TestGetIsCalledAfterTheCommit(t *testing.T) {
	sh, log := newAwayShard(t, 0)
	c := newCaller(sh)
	rings := make(ringer)
	b := c.ask(sh, askOp(queue.Ask{What: queue.AskGet, Wait: true, Length: 1, Getter: rings}))
	if b.Ops[0].Status != queue.Waiting {
		t.Fatalf("a get is answered %v", b.Ops[0].Status)
	}
	log.Slow = true
	put := askOp(queue.Ask{What: queue.AskPut})
	put.ID = 1
	if sh.Submit(&queue.Batch{Ops: []queue.Op{put}, Done: c}) {
		t.Fatal("a put is answered before its commit")
	}
	select {
	case <-rings:
		t.Fatal("the get is called before the commit")
	default:
	}
	log.Release(nil)
	<-rings
	<-c.done
}

// Bodies that are away are read for a get, whether it looks or takes.
func TestGetReadsBodiesAway(t *testing.T) {
	sh, log := newAwayShard(t, 10)
	c := newCaller(sh)
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"), putOp(3, "xy"), putOp(4, "uvw"))
	want := "[1:12345678 2:abcdefgh 3:xy 4:uvw]"
	for _, take := range []bool{false, true} {
		b := c.ask(sh, askOp(queue.Ask{What: queue.AskGet, Length: 9, Take: take}))
		if got := fmt.Sprint(found(b)); got != want || b.Ops[0].Status != queue.OK {
			t.Errorf("take %v: found are %v, %v", take, b.Ops[0].Status, got)
		}
	}
	if len(log.Jobs) != 0 {
		t.Errorf("%d jobs are left of those that were taken", len(log.Jobs))
	}
}

// An item that goes while its body is read is left out; one that nobody can read is
// buried.
func TestGetWithoutBodies(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c, other := newCaller(sh), newCaller(sh)
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"), putOp(3, "xyxyxyx"))
	for _, take := range []bool{false, true} {
		log.stall = make(chan struct{})
		if sh.Submit(&queue.Batch{Ops: []queue.Op{askOp(queue.Ask{What: queue.AskGet, Length: 2, Take: take})},
			Done: other}) {
			t.Fatal("a get is answered without its bodies")
		}
		first := uint64(1)
		if take {
			first = 2
		}
		c.ask(sh, queue.Op{Kind: queue.Delete, ID: first})
		log.hurt = map[uint64]bool{}
		close(log.stall)
		b := <-other.done
		for b.Next == 0 {
			if !sh.Submit(b) {
				b = <-other.done
			}
		}
		if got, want := fmt.Sprint(found(b)), map[bool]string{false: "[2:abcdefgh]",
			true: "[3:xyxyxyx]"}[take]; got != want {
			t.Errorf("take %v: found are %v, want %v", take, got, want)
		}
	}
	c.ask(sh, putOp(5, "12345678"), putOp(6, "abcdefgh"))
	log.hurt = map[uint64]bool{5: true}
	b := c.ask(sh, askOp(queue.Ask{What: queue.AskGet, Length: 9, Take: true}))
	if got := fmt.Sprint(found(b)); got != "[6:abcdefgh]" {
		t.Errorf("found are %v", got)
	}
	if b := c.ask(sh, queue.Op{Kind: queue.StatsJob, ID: 5}); len(b.Jobs) != 1 || b.Jobs[0].State != queue.Buried {
		t.Errorf("the job that cannot be read is %+v", b.Jobs)
	}
	log.broken = errors.New("broken")
	c.ask(sh, putOp(7, "12345678"))
	if b := c.ask(sh, askOp(queue.Ask{What: queue.AskGet, Length: 1, Take: true})); b.Ops[0].Status != queue.Failed {
		t.Errorf("with a broken log a get is answered %v", b.Ops[0].Status)
	}
	log.broken = storage.ErrNoBody
	if b := c.ask(sh, askOp(queue.Ask{What: queue.AskGet, Length: 1, Take: true})); b.Ops[0].Status != queue.Failed {
		t.Errorf("with a log without the body a get is answered %v", b.Ops[0].Status)
	}
}
