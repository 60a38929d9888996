package history

import (
	"fmt"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// BenchmarkSample is what is done each 10 s on a server with so many tubes, of which one is busy.
func BenchmarkSample(b *testing.B) {
	for _, tubes := range []int{100, 1000, 100_000} {
		r := must.Get(router.New(router.Options{Shards: 4, Store: storage.Memory()}))
		defer r.Close()
		put := func(i int) {
			op := queue.Op{Kind: queue.Service, Size: 1, Data: []byte("x"), Ask: &queue.Ask{
				What: queue.AskPut, Queue: fmt.Sprintf("tenant-%05d.events", i), Limits: &queue.Limits{},
			}}
			if r.Ask(&op); op.Status != queue.OK {
				b.Fatal(op.Status)
			}
		}
		for i := range tubes {
			put(i)
		}
		k, book := &Keeper{opts: Options{Shards: r, Now: time.Now}}, newBook()
		b.Run(fmt.Sprint(tubes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				put(77)
				book.write(k.sample(b.Context(), book))
			}
		})
		b.Run(fmt.Sprintf("%d quiet", tubes), func(b *testing.B) {
			for b.Loop() {
				book.write(k.sample(b.Context(), book))
			}
		})
	}
}
