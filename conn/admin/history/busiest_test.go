package history

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
)

// Among very many tubes, one that becomes busy is found, and keeps its history while others have
// a job or two now and then. Of those that had the most jobs in the beginning, most stay.
func TestBusyTubeIsFound(t *testing.T) {
	f, b := newField(), newCharts()
	f.many(effort.Courses(100_000, 20_000))
	f.put("tenant-017777", 1000, 0)
	f.samples(t, b, 2, func(i int) { f.put("busy", 1, 1) })
	if _, ok := b.Tube("tenant-017777", Hour, f.at); !ok {
		t.Error("the tube with the most jobs has no history")
	}
	at := 0
	f.samples(t, b, 100, func(i int) {
		f.put("busy", 100, 100)
		f.put(fmt.Sprintf("tenant-%06d", i%10), 1, 1)
		if _, ok := b.Tube("busy", Hour, f.at); ok && at == 0 {
			at = i
		}
	})
	list, ok := b.Tube("busy", Hour, f.at)
	if !ok || at > 20 || len(list) != 100-at+1 {
		t.Errorf("a busy tube was found after %d samples, and has %d points", at, len(list))
	}
	if len(b.tubes) != mostTubes {
		t.Errorf("%d tubes have a history", len(b.tubes))
	}
	if list, ok := b.Tube("tenant-017777", Hour, f.at); !ok || len(list) != 102 {
		t.Errorf("the tube with the most jobs has %d points", len(list))
	}
}

// A busy tube that ends for a while keeps its history, even if many others come and go.
func TestShortLivedTubes(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 60, func(int) { f.put("work", 500, 500) })
	f.end("work")
	f.samples(t, b, 60, func(i int) {
		for k := range 200 {
			f.end(fmt.Sprintf("reply-%d-%d", i-1, k))
			f.put(fmt.Sprintf("reply-%d-%d", i, k), 1, 1)
		}
	})
	f.samples(t, b, 2, func(int) { f.put("work", 500, 500) })
	if list, ok := b.Tube("work", Hour, f.at); !ok || len(list) != 122 || words(list[119:], 10, Puts) != "0 50 50" {
		t.Errorf("the tube has %d points, at the end %s", len(list), words(list[max(0, len(list)-3):], 10, Puts))
	}
}

// HI1: however many tubes there are, and however they come and go.
func TestMemoryIsBounded(t *testing.T) {
	f := newField()
	f.many(3000)
	for i := range f.tubes {
		f.tubes[i].Name = fmt.Sprintf("%0200d", i) // the longest names
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b := newCharts()
	f.samples(t, b, 400, func(i int) {
		for k := range 300 {
			f.tubes[(i*7+k)%3000].Total += uint64(k)
		}
		f.turns++
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 2<<20 || len(b.tubes) != mostTubes {
		t.Errorf("%d tubes have histories of %d bytes", len(b.tubes), used)
	}
	var file bytes.Buffer
	if err := b.encode(&file); err != nil || file.Len() > mostBytes || mostBytes > 2<<20 {
		t.Errorf("the file has %d bytes, at most %d: %v", file.Len(), mostBytes, err)
	}
	runtime.KeepAlive(b)
}

// BenchmarkSample is what is done each 10 s on a server with so many tubes, of which one is busy.
func BenchmarkSample(b *testing.B) {
	for _, tubes := range []int{100, 1000, 100_000} {
		r := must.Get(router.New(router.Options{Shards: 4, Store: storage.Memory()}))
		defer r.Close()
		put := func(i int) {
			op := queue.Op{Kind: queue.Service, Size: 1, Data: []byte("x"), Ask: &queue.Ask{
				What: queue.AskPut, Queue: fmt.Sprintf("tenant-%05d.events", i), Limits: &policy.Limits{},
			}}
			if r.Ask(&op); op.Status != queue.OK {
				b.Fatal(op.Status)
			}
		}
		for i := range tubes {
			put(i)
		}
		k, charts := &Keeper{opts: Options{Shards: r, Now: time.Now}}, newCharts()
		b.Run(fmt.Sprint(tubes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				put(77)
				charts.write(k.sample(b.Context(), charts))
			}
		})
		b.Run(fmt.Sprintf("%d quiet", tubes), func(b *testing.B) {
			for b.Loop() {
				charts.write(k.sample(b.Context(), charts))
			}
		})
	}
}
