package queue

import "testing"

// windowCycle is cycle for items that a worker's client puts, with a deadline, and that the
// consumers commit 50 at a time.
func (f *pushField) windowCycle(c *Client, items int) {
	f.now += 1000
	for range items {
		f.field.put(c)
	}
	f.endTurn()
	for _, k := range f.subs {
		if len(k.spent) > 0 {
			k.sent = Ask{
				What: AskSent, Queue: "tube0", Group: "g", User: k.user, Limits: &f.limits, Receiver: k,
				Bytes: k.sent.Bytes, Spent: k.spent,
			}
			f.ask(&k.sent)
			k.sent.Bytes, k.spent = 0, k.spent[:0]
		}
		if len(k.indexes) < 50 {
			continue
		}
		f.ask(&Ask{What: AskCommit, Queue: "tube0", Group: "g", User: k.user, Limits: &f.limits,
			Indexes: k.indexes[:50]})
		k.indexes = append(k.indexes[:0], k.indexes[50:]...)
		f.endTurn()
	}
}

// What an item with a deadline costs from its put to its end, with 16 consumers.
func BenchmarkPushWindow(b *testing.B) {
	const items = 256
	f := newPushField(0, 0)
	c := &Client{}
	f.apply(c, Op{Kind: Use, Data: []byte("tube0")})
	f.watchAll("tube0", 16, 100)
	b.ReportAllocs()
	for n := 0; n < b.N; n += items {
		f.windowCycle(c, items)
	}
}
