package console

import (
	"context"
	"sync"
	"time"

	"beanfield/conn/admin/history"
	"beanfield/router"
	"beanfield/shard/queue"
)

// censusAge is how old the figures of the tubes may be. All pages share them.
const censusAge = 400 * time.Millisecond

// censusKept is how long a census is kept of which nobody asks for another.
const censusKept = 30 * time.Second

// rateSpan is over what time rates are taken at least.
const rateSpan = 900 * time.Millisecond

// census has the figures of all tubes, as of a moment.
type census struct {
	router *router.Router
	kept[snapshot]
}

// snapshot never changes after it has been made.
type snapshot struct {
	at     time.Time
	tubes  []tubeRow // in the order of the shards' tables, which seldom changes
	shards []router.Figures
	base   *snapshot // what the rates are taken against; nil if they are not known

	once  sync.Once
	index map[string]int // made when somebody looks for a tube that is not where it was
}

// find is the place of a tube, or -1.
func (s *snapshot) find(name string) int {
	s.once.Do(func() {
		s.index = make(map[string]int, len(s.tubes))
		for i := range s.tubes {
			s.index[s.tubes[i].Name] = i
		}
	})
	if i, ok := s.index[name]; ok {
		return i
	}
	return -1
}

// tubeRow is a tube with its rates in jobs a second.
type tubeRow struct {
	queue.TubeFigures
	puts, deletes float64
}

// take returns figures that are younger than censusAge.
func (c *census) take(ctx context.Context) (*snapshot, error) {
	s, _, err := c.kept.take(func(was *snapshot) (*snapshot, error) { return c.fresh(ctx, was) })
	return s, err
}

func (c *census) fresh(ctx context.Context, was *snapshot) (*snapshot, error) {
	s := &snapshot{}
	tubes, ok := 0, false
	if s.shards, ok = history.Look(ctx, c.router); !ok {
		return nil, busy
	}
	for i := range s.shards {
		tubes += s.shards[i].Tubes
	}
	s.tubes = make([]tubeRow, 0, tubes+tubes/64) // some may come meanwhile; to grow it would copy it
	for i := range s.shards {
		if !c.router.Census(ctx, i, func(list []queue.TubeFigures) {
			for j := range list {
				s.tubes = append(s.tubes, tubeRow{TubeFigures: list[j]})
			}
		}) {
			return nil, busy
		}
	}
	s.at = time.Now()
	if was != nil {
		s.base = was.base
		if s.base == nil || was.at.Sub(s.base.at) >= rateSpan {
			s.base = &snapshot{at: was.at, tubes: was.tubes} // without its own base, which can go
		}
		s.compare(s.base)
	}
	return s, nil
}

// compare fills in the rates since an earlier snapshot.
func (s *snapshot) compare(b *snapshot) {
	seconds := s.at.Sub(b.at).Seconds()
	at := 0 // where the tube was, if none has come or gone before it
	for i := range s.tubes {
		t := &s.tubes[i]
		if at >= len(b.tubes) || b.tubes[at].Name != t.Name {
			k := b.find(t.Name)
			if k < 0 {
				continue
			}
			at = k
		}
		was := &b.tubes[at]
		t.puts = rate(was.Total, t.Total, seconds)
		t.deletes = rate(was.Deletes, t.Deletes, seconds)
		at++
	}
}

// rate is how fast a counter has grown. A tube that has come anew counts from 0.
func rate(was, is uint64, seconds float64) float64 {
	if is < was || seconds <= 0 {
		return 0
	}
	return float64(is-was) / seconds
}
