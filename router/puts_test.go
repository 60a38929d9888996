package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// namedPuts are the puts of a batch, each with a key and a name; those of an odd number are for a tube of their own.
func namedPuts(batch, jobs int) (puts []queue.Op) {
	for i := range jobs {
		name := fmt.Appendf(nil, "%d %d", batch, i)
		puts = append(puts, queue.Op{Kind: queue.Put, TTR: 60, Size: uint32(len(body)), Data: body, Options: &queue.Options{TTR: 60e9, Key: name, Once: name}})
		if i%2 == 1 {
			puts[i].Tube = "other"
		}
	}
	return puts
}

func (c *client) putMany(v *Puts) []queue.Op {
	c.Finish(c.PutMany(v))
	ops := c.Puts.Ops
	c.Trim()
	return ops
}

// Whatever turn a crash comes after, the jobs of a batch that were to be put together are all there, with their keys and
// names, or none is (Y4); of one that was answered all are. Of other batches, each job is there with its key and name.
func TestPutsSurviveCrashes(t *testing.T) {
	const batches, jobs = 4, 5
	store := newCutStore(1)
	turns := func() int {
		store.mu.Lock()
		defer store.mu.Unlock()
		return len(store.turns)
	}
	r := must.Get(New(Options{Shards: 1, Store: store}))
	c := newClient(r)
	var before, after [batches]int
	var ids [batches][jobs]uint64
	for n := range batches {
		before[n] = turns()
		for i, op := range c.putMany(&Puts{Ops: namedPuts(n, jobs), All: n%2 == 0}) {
			if ids[n][i] = op.ID; op.Status != queue.OK {
				t.Fatalf("put %d of batch %d: %v", i, n, op.Status)
			}
		}
		after[n] = turns()
	}
	c.close()
	must.Do(t, r.Close())
	for first := range len(store.turns) + 1 {
		r := must.Get(New(Options{Shards: 1, Store: store.cut(first, nil)}))
		c := newClient(r)
		for n := range batches {
			there := 0
			for i, op := range namedPuts(n, jobs) {
				op.Options.Once = nil
				switch got := c.putMany(&Puts{Ops: []queue.Op{op}})[0]; {
				case got.Status == queue.Exists && got.ID == ids[n][i]:
					there++
				case got.Status != queue.OK || first >= after[n]:
					t.Fatalf("after turn %d, put %d of batch %d: %v %d", first, i, n, got.Status, got.ID)
				default:
					c.delete(got.ID) // its key is free again
				}
			}
			if there > 0 && first <= before[n] || n%2 == 0 && there != 0 && there != jobs {
				t.Fatalf("after turn %d, %d jobs of batch %d are there", first, there, n)
			}
			for i, op := range c.putMany(&Puts{Ops: namedPuts(n, jobs), All: n%2 == 0}) { // whoever had no answer
				if op.Status != queue.OK || there == jobs && op.ID != ids[n][i] {
					t.Fatalf("after turn %d, put %d of batch %d once more: %v %d", first, i, n, op.Status, op.ID)
				}
			}
		}
		c.close()
		must.Do(t, r.Close())
	}
}
