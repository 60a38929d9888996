package shard

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
)

// ask is an operation of the queue service.
func ask(a queue.Ask) queue.Op {
	a.Queue, a.Limits = "default", &policy.Limits{}
	return queue.Op{Kind: queue.Service, Ask: &a}
}

func (c *client) attrs() *queue.Attrs {
	return c.run(c.batch(ask(queue.Ask{What: queue.AskAttrs}))).Ops[0].Ask.Attrs
}

func (c *client) buried(id uint64) bool { return said(c.do("stats-job %d", id)) == "buried" }

// texts are items as "1:body".
func texts(p *queue.DeliveryBatch) (list []string) {
	for i, it := range p.Items {
		list = append(list, fmt.Sprint(it.Index, ":", string(p.Small(i)), string(bytes.Join(it.Large, nil))))
	}
	return list
}

// box is a consumer's connection. It keeps what it receives.
type box chan string

func (x box) Replaced() { x <- "replaced" }
func (x box) Removed()  { x <- "removed" }

func (x box) Receive(p *queue.DeliveryBatch, ok bool) {
	if !ok {
		x <- "failed"
		return
	}
	for _, text := range texts(p) {
		x <- text
	}
}

// watch connects a consumer with the given settings, and does not wait for the answer.
func (b *bench) watch(a queue.Ask) box {
	x := make(box, 100)
	if a.What, a.User, a.Receiver = queue.AskWatch, "u", x; a.Group == "" {
		a.Group = "g"
	}
	b.submit(ask(a))
	return x
}

// submit applies an operation whose answer nobody waits for.
func (b *bench) submit(op queue.Op) { b.sh.Submit(&queue.Batch{Ops: []queue.Op{op}, Done: unheard{}}) }

// gets waits for what a consumer receives: "1:a 2:b".
func (b *bench) gets(x box, want string) {
	b.Helper()
	var list []string
	for range strings.Fields(want) {
		list = append(list, <-x)
	}
	b.expect("received", strings.Join(list, " "), want)
}

// ringer is a get that waits.
type ringer chan struct{}

func (r ringer) TryAgain() { close(r) }

// get looks for items, and says what it has found.
func (c *client) get(length int, take bool) string {
	return gotten(c.run(c.batch(ask(queue.Ask{What: queue.AskGet, Length: length, Take: take}))))
}

func gotten(b *queue.Batch) string {
	return strings.Join(append([]string{said(b)}, texts(b.Ops[0].Ask.Found)...), " ")
}

// A get that waits is called when the put that it waits for is committed, and not
// before.
func TestGetIsCalledAfterTheCommit(t *testing.T) {
	b := newAwayBench(t, 0)
	c, rings := b.client(), make(ringer)
	batch := c.run(c.batch(ask(queue.Ask{What: queue.AskGet, Wait: true, Length: 1, Getter: rings})))
	b.expect("a get", said(batch), "waiting")
	b.log.Slow = true
	put := ask(queue.Ask{What: queue.AskPut})
	put.ID = 1
	batch = c.begins(put)
	select {
	case <-rings:
		t.Fatal("the get is called before the commit")
	default:
	}
	b.log.Release(nil)
	<-rings
	c.ends(batch, "ok")
}

// Bodies that are away are read for a get, whether it looks or takes.
func TestGetReadsBodiesAway(t *testing.T) {
	b := newAwayBench(t, 10)
	c := b.client()
	c.do("put 1 one_of_8; put 2 two_of_8; put 3 xy; put 4 uvw")
	for _, take := range []bool{false, true} {
		b.expect("found are", c.get(9, take), "ok 1:one_of_8 2:two_of_8 3:xy 4:uvw")
	}
	if len(b.log.Jobs) != 0 {
		t.Errorf("%d jobs are left of those that were taken", len(b.log.Jobs))
	}
}

// An item that goes while its body is read is left out; one that nobody can read is
// buried.
func TestGetWithoutBodies(t *testing.T) {
	b := newAwayBench(t, 1)
	c, other := b.client(), b.client()
	c.do("put 1 abc; put 2 def; put 3 ghi")
	for i, want := range []string{"ok 2:def", "ok 3:ghi"} { // the second one takes
		b.log.stall = make(chan struct{})
		batch := other.begins(ask(queue.Ask{What: queue.AskGet, Length: 2, Take: i == 1}))
		b.log.awaitReader()
		c.do("delete %d", i+1)
		close(b.log.stall)
		<-other.answers
		b.expect("found are", gotten(other.run(batch)), want)
	}
	c.do("put 5 abc; put 6 def")
	b.log.hurt = map[uint64]bool{5: true}
	b.expect("found are", c.get(9, true), "ok 6:def")
	if !c.buried(5) {
		t.Error("the job that cannot be read is not buried")
	}
	c.do("put 7 abc")
	for _, b.log.broken = range []error{errBroken, storage.ErrNoBody} {
		b.expect("with a broken log a get", c.get(1, true), "failed")
	}
}

// What is pushed is received when its turn has been committed, in the order of the
// turns, and not at all if the log has failed.
func TestReceiveAfterTheCommit(t *testing.T) {
	b := newAwayBench(t, 0)
	c, x := b.client(), b.watch(queue.Ask{Window: 9})
	b.log.Slow = true
	for id := range 3 {
		c.begins(ops("put %d body", id+1)...)
	}
	if len(x) > 0 {
		t.Fatal("an item is received before the commit")
	}
	b.log.Release(nil)
	b.gets(x, "1:body 2:body 3:body")
	c.begins(ops("put 4 body")...)
	b.log.Release(errBroken)
	b.gets(x, "failed")
}

// Bodies that are away are read before a delivery batch is received, and nothing overtakes it.
// With auto-commit the items are done after that; one that cannot be read is buried.
func TestDeliveriesWithBodiesAway(t *testing.T) {
	for auto, pending := range map[bool]int{false: 4, true: 0} {
		b := newAwayBench(t, 10)
		c := b.client()
		c.do("put 1 one_of_8; put 2 two_of_8; put 3 hurt_of_8; put 4 last_of_8")
		b.log.hurt, b.log.stall = map[uint64]bool{3: true}, make(chan struct{})
		x := b.watch(queue.Ask{Window: 9, AutoCommit: auto})
		b.log.awaitReader()
		if c.do("put 5 x"); len(x) > 0 {
			t.Error("a batch overtakes one whose bodies are read")
		}
		close(b.log.stall)
		b.gets(x, "1:one_of_8 2:two_of_8 4:last_of_8 5:x")
		must.Until(t, "what was read is pending or done", func() bool {
			a := c.attrs()
			return a.Consumers[0].Pending == pending && a.Length == pending+1
		})
		if !c.buried(3) {
			t.Error("the job that cannot be read is not buried")
		}
	}
}

// A consumer that leaves while its bodies are read keeps its items, and a new connection
// is sent them.
func TestTakeoverWhileBodiesAreRead(t *testing.T) {
	b := newAwayBench(t, 1)
	c := b.client()
	c.do("put 1 abc; put 2 def")
	b.log.stall = make(chan struct{})
	old := b.watch(queue.Ask{Window: 9, AutoCommit: true})
	b.log.awaitReader()
	x := b.watch(queue.Ask{Window: 9})
	b.gets(old, "replaced")
	close(b.log.stall)
	b.gets(x, "1:abc 2:def")
	b.gets(old, "1:abc 2:def") // it is to throw them away
	if n := c.attrs().Length; n != 2 {
		t.Errorf("%d items are left", n)
	}
}

// An item with a large body is staged like any job, and then pushed.
func TestLargeItemIsPushed(t *testing.T) {
	b := newAwayBench(t, 0)
	c, x := b.client(), b.watch(queue.Ask{Window: 9})
	body := bytes.Repeat([]byte("x"), storage.LargeBody+1)
	b.log.Lazy = true
	op := ask(queue.Ask{What: queue.AskPut, Tags: queue.MakeTags(map[string]string{"k": "v"})})
	op.ID, op.Parts, op.Size = 1, [][]byte{body}, uint32(len(body))
	batch := c.begins(op)
	if len(x) > 0 {
		t.Fatal("an item is pushed before its body is staged")
	}
	b.log.EndStages(nil)
	c.ends(batch, "ok")
	b.gets(x, "1:"+string(body))
	if len(b.log.Jobs[1].Item.Tags) == 0 {
		t.Error("the item's tags are not logged")
	}
}

// A view's consumers are sent bodies that are away. With auto-commit the view is done
// with them only then. What nobody can read is buried, also if the first group has done
// it, and the view gets on.
func TestViewsReadBodiesAway(t *testing.T) {
	b := newAwayBench(t, 1)
	c := b.client()
	b.watch(queue.Ask{})
	x := b.watch(queue.Ask{Group: "h", Window: 9, AutoCommit: true})
	c.do("put 1 abc; put 2 def")
	b.gets(x, "1:abc 2:def")
	c.do("delete 1; delete 2")
	must.Until(t, "all has gone", func() bool { return c.attrs().Length == 0 })
	x = b.watch(queue.Ask{Group: "h", Window: 9})
	b.log.stall, b.log.hurt = make(chan struct{}), map[uint64]bool{4: true, 5: true}
	put := ask(queue.Ask{What: queue.AskPut})
	put.ID, put.Data, put.Size = 3, []byte("abc"), 3
	b.submit(put)
	b.log.awaitReader()
	c.do("put 4 def; put 5 ghi; put 6 jkl")
	close(b.log.stall)
	b.gets(x, "3:abc 6:jkl")
	must.Until(t, "both are buried", func() bool { return c.buried(4) && c.buried(5) })
	c.run(c.batch(ask(queue.Ask{What: queue.AskCommit, Group: "h", User: "u", Indexes: []uint64{3, 6}})))
	if n := c.attrs().Groups[1].Pending; n != 0 {
		t.Errorf("%d items are pending", n)
	}
}
