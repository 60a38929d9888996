package shard

import (
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

func newBareShard() *Shard {
	logs, err := storage.Memory().Open(1, nil)
	if err != nil {
		panic(err)
	}
	start := time.Now()
	return New(queue.NewState(queue.Config{Directory: queuetest.Deaf{}, Log: logs[0], Pinned: "default"}),
		func() int64 { return int64(time.Since(start)) + 1 })
}

// client runs put, reserve and delete through a Shard, one batch for each or
// one for all.
type shardClient struct {
	sh     *Shard
	client queue.Client
	batch  queue.Batch
	done   doneChan
}

func newShardClient(sh *Shard, tube string) *shardClient {
	c := &shardClient{sh: sh, done: make(doneChan, 1)}
	c.run(queue.Op{Kind: queue.Use, Data: []byte(tube)}, queue.Op{Kind: queue.Watch, Data: []byte(tube)})
	return c
}

func (c *shardClient) run(ops ...queue.Op) []queue.Op {
	c.batch.Reset()
	c.batch.Client, c.batch.Done = &c.client, c.done
	c.batch.Ops = append(c.batch.Ops, ops...)
	if !c.sh.Submit(&c.batch) {
		<-c.done
	}
	return c.batch.Ops
}

var hundred = make([]byte, 100)

func (c *shardClient) cycle(id uint64) {
	c.run(queue.Op{Kind: queue.Put, ID: id, Pri: 5, TTR: 60, Data: hundred, Size: 100})
	got := c.run(queue.Op{Kind: queue.Reserve, Poll: true})[0].ID
	c.run(queue.Op{Kind: queue.Delete, ID: got})
}

// One operation is a put, a reserve and a delete, each a batch of its own.
func BenchmarkSubmitInPlace(b *testing.B) {
	sh := newBareShard()
	defer sh.Close()
	c := newShardClient(sh, "default")
	b.ReportAllocs()
	for id := uint64(1); b.Loop(); id++ {
		c.cycle(id)
	}
}

// The same, by as many goroutines as there are processors, and by fifty.
func BenchmarkSubmitContended(b *testing.B) {
	for _, each := range []int{1, 25} {
		b.Run(map[int]string{1: "one a processor", 25: "25 a processor"}[each], func(b *testing.B) {
			sh := newBareShard()
			defer sh.Close()
			b.ReportAllocs()
			b.SetParallelism(each)
			ids := make(chan uint64, 1)
			ids <- 0
			b.RunParallel(func(pb *testing.PB) {
				from := <-ids
				ids <- from + 1<<32
				c := newShardClient(sh, "default")
				for id := from + 1; pb.Next(); id++ {
					c.cycle(id)
				}
			})
		})
	}
}
