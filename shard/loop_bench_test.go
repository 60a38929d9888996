package shard

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
)

func newMemoryBench(t testing.TB) *bench {
	logs, err := storage.Memory().Open(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return newBench(t, queue.Config{Log: logs[0]})
}

// again runs an operation in the batch of the last one.
func (c *client) again(op queue.Op) uint64 {
	c.last.Reset()
	c.last.Client, c.last.Done = &c.Client, c
	c.last.Ops = append(c.last.Ops, op)
	if !c.b.sh.Submit(&c.last) {
		<-c.answers
	}
	return c.last.Ops[0].ID
}

var hundred = make([]byte, 100)

// cycle is a put, a reserve and a delete, each a batch of its own.
func (c *client) cycle(id uint64) {
	c.again(queue.Op{Kind: queue.Put, ID: id, Pri: 5, TTR: 60, Data: hundred, Size: 100})
	c.again(queue.Op{Kind: queue.Delete, ID: c.again(queue.Op{Kind: queue.Reserve, Poll: true})})
}

// One operation is a put, a reserve and a delete.
func BenchmarkSubmitInPlace(b *testing.B) {
	c := newMemoryBench(b).client()
	b.ReportAllocs()
	for id := uint64(1); b.Loop(); id++ {
		c.cycle(id)
	}
}

// The same, by as many goroutines as there are processors, and by fifty.
func BenchmarkSubmitContended(b *testing.B) {
	for _, each := range []int{1, 25} {
		b.Run(map[int]string{1: "one a processor", 25: "25 a processor"}[each], func(b *testing.B) {
			x := newMemoryBench(b)
			b.ReportAllocs()
			b.SetParallelism(each)
			ids := make(chan uint64, 1)
			ids <- 0
			b.RunParallel(func(pb *testing.PB) {
				from := <-ids
				ids <- from + 1<<32
				c := x.client()
				for id := from + 1; pb.Next(); id++ {
					c.cycle(id)
				}
			})
		})
	}
}
