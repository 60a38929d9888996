package router

import (
	"fmt"
	"testing"
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
