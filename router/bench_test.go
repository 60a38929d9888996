package router

import (
	"fmt"
	"testing"
)

// What a reserve costs whose tubes are on several shards: with a job there,
// and with a wait that a put ends. "in place" is one shard's short way.
func BenchmarkReserve(b *testing.B) {
	for _, shards := range []int{1, 4, 16} {
		r := newRouterOf(shards)
		worker, producer := newClient(r), newClient(r)
		producer.use(watchAll(r, worker)[0])
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
		end(b, r, worker, producer)
	}
}

func BenchmarkDirectory(b *testing.B) {
	const living = 1 << 20
	d := newDirectory()
	for range living {
		d.begin(1)
	}
	b.Run("find, a million living", func(b *testing.B) {
		first, id := d.last.Load()-living+1, uint64(0)
		for b.Loop() {
			id = (id + 7919) % living
			d.find(first + id)
		}
	})
	b.Run("begin, find and end in parallel", func(b *testing.B) {
		d := newDirectory()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				id := d.begin(1)
				d.find(id)
				d.end(id)
			}
		})
	})
}
