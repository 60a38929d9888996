package console

import (
	"strings"
	"testing"
	"testing/synctest"
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
		{"abcd", "abcd", "abcd"}, {"abcd", "bcda", "abcd"}, {"abcd", "acd", "acd"}, {"abcd", "xabycdz", "abcd"},
		{"abcd", "dxcba", "abcd"}, {"abcd", "xyz", ""},
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
				t.Errorf("%s, then %s: %s has %g puts and %g deletes a second, want %g", e.before, e.now, r.Name,
					r.puts, r.deletes, want)
			}
		}
	}
}

// Rates are over rateSpan at least, against an earlier census, of which none before it is kept.
func TestBaseOfRates(t *testing.T) {
	r := must.Get(router.New(router.Options{Shards: 2, Store: storage.Memory()}))
	defer r.Close()
	c := must.Get(New(options(r)))
	take := func() *snapshot { return must.Get(c.census.take(t.Context())) }
	age := func(d time.Duration) {
		for s := c.census.now; s != nil; s = s.base {
			s.at = s.at.Add(-d)
		}
		c.census.at = c.census.at.Add(-d)
	}
	first := take()
	if first.base != nil || take() != first {
		t.Error("the first census has rates, or is not shared")
	}
	age(censusAge)
	second := take()
	if second.base == nil || !second.base.at.Equal(first.at) {
		t.Error("rates are not against the first census")
	}
	age(rateSpan - censusAge)
	third := take()
	if third.base != second.base {
		t.Error("rates are over less than rateSpan")
	}
	age(rateSpan)
	if s := take(); !s.base.at.Equal(third.at) || s.base.base != nil {
		t.Error("rates are against an old census, or that keeps an older one")
	}
}

// An answer is shared while it is young, the next is told of it, and it goes when nobody asks.
func TestKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := kept[int]{young: time.Second, life: 10 * time.Second}
		made := 0
		for _, e := range []struct {
			pause     time.Duration
			was, want int
		}{{0, 0, 1}, {time.Second - 1, 0, 1}, {1, 1, 2}, {9 * time.Second, 2, 3}, {11 * time.Second, 0, 4}} {
			time.Sleep(e.pause)
			now, _, err := k.take(func(was *int) (*int, error) {
				if is := was != nil; is != (e.was > 0) || is && *was != e.was {
					t.Errorf("after %v another is made from %v", e.pause, was)
				}
				made++
				answer := made
				return &answer, nil
			})
			if err != nil || *now != e.want {
				t.Errorf("after %v the answer is %v, %v", e.pause, *now, err)
			}
		}
	})
}
