package console

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// snapshotOf has tubes of one letter each, in which so many jobs have been put.
func snapshotOf(at time.Time, names string, total func(name string) uint64) *snapshot {
	s := &snapshot{at: at}
	for _, n := range strings.Split(names, "") {
		row := tubeRow{}
		row.TubeFigures = queue.TubeFigures{TubeInfo: queue.TubeInfo{Name: n}}
		row.Total, row.Deletes = total(n), total(n)/2
		s.tubes = append(s.tubes, row)
	}
	return s
}

// Rates are those of the same tube, wherever it was before, and whatever has come and gone.
func TestRates(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, e := range []struct{ before, now, known string }{
		{"abcd", "abcd", "abcd"}, {"abcd", "bcda", "abcd"}, {"abcd", "acd", "acd"}, {"abcd", "xabycdz", "abcd"}, {"abcd", "dxcba", "abcd"}, {"abcd", "xyz", ""},
		{"a", "abcd", "a"},
	} {
		base := snapshotOf(at, e.before, func(n string) uint64 { return 100 * uint64(n[0]) })
		s := snapshotOf(at.Add(2*time.Second), e.now, func(n string) uint64 { return 102 * uint64(n[0]) })
		s.compare(base)
		for i := range s.tubes {
			r := &s.tubes[i]
			want := 0.0
			if strings.Contains(e.known, r.Name) {
				want = float64(r.Name[0])
			}
			if r.puts != want || r.deletes != want/2 {
				t.Errorf("%s, then %s: %s has %g puts and %g deletes a second, want %g", e.before, e.now, r.Name, r.puts, r.deletes, want)
			}
		}
	}
}

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
