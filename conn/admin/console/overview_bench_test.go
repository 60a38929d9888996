package console

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// BenchmarkOverview is the answer to a page that comes when nobody else is looking, and to the
// next one, with 100,000 tubes.
func BenchmarkOverview(b *testing.B) {
	r := must.Get(router.New(router.Options{Shards: 4, Store: storage.Memory()}))
	defer r.Close()
	for i := range 100_000 {
		op := queue.Op{Kind: queue.Service, Size: 1, Data: []byte("x"), Ask: &queue.Ask{
			What: queue.AskPut, Queue: fmt.Sprintf("tenant-%05d.events", i), Limits: &queue.Limits{},
		}}
		if r.Ask(&op); op.Status != queue.OK {
			b.Fatal(op.Status)
		}
	}
	c := must.Get(New(options(r)))
	request := httptest.NewRequest("GET", "/api/v1/overview", nil)
	for _, e := range []struct {
		name   string
		forget func()
	}{
		{"first", func() { c.census.now, c.census.base = nil, nil }},
		{"next", func() { c.census.now.at = c.census.now.at.Add(-2 * censusAge) }},
	} {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Get(c.overview(request))
				e.forget()
			}
		})
	}
}
