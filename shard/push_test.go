package shard

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// box is a consumer's connection. It keeps what it receives.
type box struct{ got chan string }

func newBox() *box { return &box{make(chan string, 100)} }

func (x *box) Replaced() { x.got <- "replaced" }
func (x *box) Removed()  { x.got <- "removed" }

func (x *box) Receive(p *queue.DeliveryBatch, ok bool) {
	if !ok {
		x.got <- "failed"
		return
	}
	for i, it := range p.Items {
		x.got <- fmt.Sprint(it.Index, ":", string(p.Small(i)), string(bytes.Join(it.Large, nil)))
	}
}

// next waits for n items.
func (x *box) next(n int) (list []string) {
	for range n {
		list = append(list, <-x.got)
	}
	return list
}

func watchOp(x *box, a queue.Ask) queue.Op {
	a.What, a.Group, a.User, a.Receiver = queue.AskWatch, "g", "u", x
	return askOp(a)
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("received %v, want %v", got, want)
	}
}

// What is pushed is received when its turn has been committed, in the order of the
// turns, and not at all if the log has failed.
func TestReceiveAfterTheCommit(t *testing.T) {
	sh, log := newAwayShard(t, 0)
	c, x := newCaller(sh), newBox()
	c.ask(sh, watchOp(x, queue.Ask{Window: 9}))
	log.Slow = true
	for id := range uint64(3) {
		sh.Submit(&queue.Batch{Client: &c.Client, Ops: []queue.Op{putOp(id+1, "body")}, Done: c})
		if len(x.got) > 0 {
			t.Fatal("an item is received before the commit")
		}
	}
	done := make(chan struct{})
	go func() {
		for range 3 {
			<-c.done
		}
		close(done)
	}()
	log.Release(nil)
	<-done
	expect(t, x.next(3), "1:body", "2:body", "3:body")
	sh.Submit(&queue.Batch{Client: &c.Client, Ops: []queue.Op{putOp(4, "body")}, Done: c})
	go log.Release(errors.New("broken"))
	<-c.done
	expect(t, x.next(1), "failed")
}

// Bodies that are away are read before a delivery batch is received, and nothing overtakes it.
// With auto-commit the items are done after that; one that cannot be read is buried.
func TestDeliveriesWithBodiesAway(t *testing.T) {
	for _, auto := range []bool{false, true} {
		sh, log := newAwayShard(t, 10)
		c, x := newCaller(sh), newBox()
		c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"), putOp(3, "hurt yy"), putOp(4, "ijklmnop"))
		log.hurt = map[uint64]bool{3: true}
		log.stall = make(chan struct{})
		submit(sh, watchOp(x, queue.Ask{Window: 9, AutoCommit: auto}))
		c.ask(sh, putOp(5, "x"))
		if len(x.got) > 0 {
			t.Error("a batch overtakes one whose bodies are read")
		}
		close(log.stall)
		expect(t, x.next(4), "1:12345678", "2:abcdefgh", "4:ijklmnop", "5:x")
		waitFor(func() bool {
			a := c.ask(sh, askOp(queue.Ask{What: queue.AskAttrs})).Ops[0].Ask.Attrs
			pending := map[bool]int{false: 4, true: 0}[auto]
			return a.Consumers[0].Pending == pending && a.Length == pending+1
		})
		if b := c.ask(sh, queue.Op{Kind: queue.StatsJob, ID: 3}); len(b.Jobs) != 1 || b.Jobs[0].State != queue.Buried {
			t.Errorf("the job that cannot be read is %+v", b.Jobs)
		}
	}
}

// A consumer that leaves while its bodies are read keeps its items, and a new connection
// is sent them.
func TestTakeoverWhileBodiesAreRead(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c, old, x := newCaller(sh), newBox(), newBox()
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"))
	log.stall = make(chan struct{})
	submit(sh, watchOp(old, queue.Ask{Window: 9, AutoCommit: true}))
	submit(sh, watchOp(x, queue.Ask{Window: 9}))
	expect(t, old.next(1), "replaced")
	close(log.stall)
	expect(t, x.next(2), "1:12345678", "2:abcdefgh")
	expect(t, old.next(2), "1:12345678", "2:abcdefgh") // it is to throw them away
	if a := c.ask(sh, askOp(queue.Ask{What: queue.AskAttrs})).Ops[0].Ask.Attrs; a.Length != 2 {
		t.Errorf("%d items are left", a.Length)
	}
}

// submit applies an operation whose answer nobody waits for.
func submit(sh *Shard, op queue.Op) {
	sh.Submit(&queue.Batch{Ops: []queue.Op{op}, Done: unheard{}})
}

// waitFor waits until other goroutines have made something true.
func waitFor(done func() bool) {
	for !done() {
		runtime.Gosched()
	}
}

// An item with a large body is staged like any job, and then pushed.
func TestLargeItemIsPushed(t *testing.T) {
	sh, log := newAwayShard(t, 0)
	c, x := newCaller(sh), newBox()
	c.ask(sh, watchOp(x, queue.Ask{Window: 9}))
	body := bytes.Repeat([]byte("x"), storage.LargeBody+1)
	log.Lazy = true
	op := askOp(queue.Ask{What: queue.AskPut, Tags: queue.MakeTags(map[string]string{"k": "v"})})
	op.ID, op.Parts, op.Size = 1, [][]byte{body}, uint32(len(body))
	sh.Submit(&queue.Batch{Ops: []queue.Op{op}, Done: c})
	if len(x.got) > 0 {
		t.Fatal("an item is pushed before its body is staged")
	}
	log.EndStages(nil)
	b := <-c.done
	expect(t, x.next(1), fmt.Sprint(b.Ops[0].ID, ":", string(body)))
	if tags := log.Jobs[b.Ops[0].ID].Item.Tags; len(tags) == 0 {
		t.Error("the item's tags are not logged")
	}
}
