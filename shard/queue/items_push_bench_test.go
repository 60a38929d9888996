package queue

import (
	"fmt"
	"testing"

	"beanfield/shard/queue/policy"
)

// pushField is a queue with consumers that say at once that they have sent what they
// got, for figures of the steady state.
type pushField struct {
	*field
	limits policy.Limits
	subs   []*sink
	tags   Tags
	put    Ask
	list   []*DeliveryBatch
}

// sink is a consumer's connection.
type sink struct {
	f       *pushField
	user    string
	indexes []uint64
	sent    Ask
	spent   []*DeliveryBatch
}

func (k *sink) Replaced() {}
func (k *sink) Removed()  {}

func (k *sink) Receive(p *DeliveryBatch, _ bool) {
	for i := range p.Items {
		k.indexes = append(k.indexes, p.Items[i].Index)
	}
	k.sent.Bytes += p.Weight()
	k.spent = append(k.spent, p)
}

func newPushField(consumers, window int) *pushField {
	f := &pushField{field: newField(0, 1), limits: policy.Limits{MaxUnsent: 1 << 20, MaxDelivery: 5}}
	f.tags = MakeTags(map[string]string{TagRequest: "0f8fad5b-d9cb-469f-a165-70867728950e"})
	f.put = Ask{What: AskPut, Queue: "q", Limits: &f.limits, Tags: f.tags}
	f.watchAll("q", consumers, window)
	return f
}

// watchAll adds consumers of a queue.
func (f *pushField) watchAll(queue string, consumers, window int) {
	for i := range consumers {
		k := &sink{f: f, user: fmt.Sprint(i)}
		f.subs = append(f.subs, k)
		f.ask(&Ask{What: AskWatch, Queue: queue, Group: "g", User: k.user, Limits: &f.limits, Receiver: k,
			Window: window, AutoCommit: window == 0})
	}
	f.endTurn()
}

func (f *pushField) ask(a *Ask) {
	op := Op{Kind: Service, Ask: a, Pri: 1024}
	if a.What == AskPut {
		f.id++
		op.ID, op.Data, op.Size = f.id, f.body, uint32(len(f.body))
	}
	f.s.renew() // each is a turn of its own
	if f.apply(nil, op).Status != OK {
		panic("the queue refuses")
	}
}

func (f *pushField) endTurn() {
	for f.s.Tick(f.now) {
	}
	f.list = f.s.TakeDeliveries(f.list[:0])
	for _, p := range f.list {
		p.to.Receive(p, true)
	}
}

// cycle puts as many items as a turn has, and every consumer reports what it has sent and
// commits what it has got, in another turn.
func (f *pushField) cycle(items int, commit bool) {
	f.now += 1000
	for range items {
		f.ask(&f.put)
	}
	f.endTurn()
	for _, k := range f.subs {
		if len(k.indexes) == 0 {
			continue
		}
		k.sent = Ask{
			What: AskSent, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k, Bytes: k.sent.Bytes,
			Spent: k.spent,
		}
		f.ask(&k.sent)
		if commit {
			k.sent = Ask{What: AskCommit, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Indexes: k.indexes}
			f.ask(&k.sent)
		}
		k.sent.Bytes, k.spent, k.indexes = 0, k.spent[:0], k.indexes[:0]
	}
	f.endTurn()
}

// What an item costs from its put to its end, with 16 consumers.
func BenchmarkPush(b *testing.B) {
	for _, window := range []int{0, 100} {
		b.Run(fmt.Sprintf("window=%d", window), func(b *testing.B) {
			const items = 256
			f := newPushField(16, window)
			b.ReportAllocs()
			for n := 0; n < b.N; n += items {
				f.cycle(items, window > 0)
			}
		})
	}
}

// The way of an item from its put to its end allocates nothing.
func TestPushAllocatesNothing(t *testing.T) {
	for _, window := range []int{0, 100} {
		f := newPushField(4, window)
		for range 100 {
			f.cycle(64, window > 0)
		}
		if n := testing.AllocsPerRun(500, func() { f.cycle(64, window > 0) }); n >= 8 {
			t.Errorf("window %d: %v allocations for 64 items", window, n)
		}
		if f.s.index.N != 0 {
			t.Errorf("window %d: %d items are left", window, f.s.index.N)
		}
	}
}
