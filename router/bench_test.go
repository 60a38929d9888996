package router

import (
	"fmt"
	"sync"
	"testing"

	"beanfield/shard/queue"
)

// What a reserve costs whose tubes are on several shards: with a job there,
// and with a wait that a put ends. "in place" is one shard's short way.
func BenchmarkReserve(b *testing.B) {
	for _, shards := range []int{1, 4, 16} {
		r := newRouterOf(b, shards)
		var watch []string
		for i := range shards {
			for n := 0; ; n++ {
				name := fmt.Sprint("tube ", n)
				if r.TubeShard([]byte(name)) == i {
					watch = append(watch, name)
					break
				}
			}
		}
		worker, producer := newClient(r, watch...), newClient(r)
		producer.use(watch[0])
		b.Run(fmt.Sprintf("ready/shards=%d", shards), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				producer.put(1, 100)
				id, _ := worker.begin(false)
				worker.delete(id)
			}
		})
		b.Run(fmt.Sprintf("wait/shards=%d", shards), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				worker.begin(false)
				producer.put(1, 100)
				id, _ := worker.await(nil)
				worker.delete(id)
			}
		})
		worker.close()
		producer.close()
		if err := r.Close(); err != nil {
			b.Error(err)
		}
	}
}

func BenchmarkDirectory(b *testing.B) {
	b.Run("begin and end", func(b *testing.B) {
		d := newDirectory()
		b.ReportAllocs()
		for b.Loop() {
			d.end(d.begin(1))
		}
	})
	b.Run("begin, a million living", func(b *testing.B) {
		const living = 1 << 20
		d := newDirectory()
		for range living {
			d.begin(1)
		}
		b.ReportAllocs()
		for b.Loop() {
			d.end(d.begin(1) - living)
		}
	})
	b.Run("find, a million living", func(b *testing.B) {
		const living = 1 << 20
		d := newDirectory()
		for range living {
			d.begin(1)
		}
		id := uint64(0)
		for b.Loop() {
			id = (id + 7919) % living
			d.find(id + 1)
		}
	})
	b.Run("the counter in parallel", func(b *testing.B) {
		d := newDirectory()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				d.last.Add(1)
			}
		})
	})
	b.Run("begin, find and end in parallel", func(b *testing.B) {
		d := newDirectory()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				id := d.begin(1)
				d.find(id)
				d.end(id)
			}
		})
	})
}

// The core without sockets: goroutines that put, reserve and delete, each on
// a tube of its own.
func BenchmarkCore(b *testing.B) {
	for _, shards := range []int{1, 2, 4, 8, 16} {
		for _, clients := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("shards=%d/goroutines=%d", shards, clients), func(b *testing.B) {
				benchmarkCore(b, shards, clients, 1)
			})
		}
	}
}

// The same in batches of 16 operations, as from clients that pipeline.
func BenchmarkCorePipelined(b *testing.B) {
	for _, shards := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("shards=%d/goroutines=4", shards), func(b *testing.B) {
			benchmarkCore(b, shards, 4, 16)
		})
	}
}

// benchmarkCore shares b.N cycles out. A cycle is depth puts in one batch,
// as many reserves in the next, as many deletes in the third.
func benchmarkCore(b *testing.B, shards, clients, depth int) {
	r := newRouterOf(b, shards)
	var all sync.WaitGroup
	var list []*client
	for i := range clients {
		name := fmt.Sprint("tube ", i)
		c := newClient(r, name)
		c.use(name)
		list = append(list, c)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for _, c := range list {
		all.Go(func() {
			for n := 0; n < b.N; n += clients * depth {
				c.cycle(depth)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	for _, c := range list {
		c.close()
	}
	if err := r.Close(); err != nil {
		b.Error(err)
	}
}

func (c *client) cycle(depth int) {
	i := c.UsedShard()
	c.batch.Reset()
	for range depth {
		op := queue.Op{Kind: queue.Put, ID: c.NewID(), TTR: 100, Size: uint32(len(body)), Data: body}
		c.batch.Ops = append(c.batch.Ops, op)
	}
	c.Finish(c.Submit(i, &c.batch, true))
	c.batch.Reset()
	for range depth {
		c.batch.Ops = append(c.batch.Ops, queue.Op{Kind: queue.Reserve, Poll: true})
	}
	c.Finish(c.Submit(i, &c.batch, true))
	for k := range c.batch.Ops {
		c.batch.Ops[k] = queue.Op{Kind: queue.Delete, ID: c.batch.Ops[k].ID}
	}
	c.batch.Next = 0
	c.Finish(c.Submit(i, &c.batch, false))
}
