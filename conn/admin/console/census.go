package console

import (
	"context"
	"sync"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
)

// censusAge is how old the figures of the tubes may be. All pages share them.
const censusAge = 400 * time.Millisecond

// censusKept is how long a census is kept of which nobody asks for another.
const censusKept = 30 * time.Second

// rateSpan is over what time rates are taken at least.
const rateSpan = 900 * time.Millisecond

// census has the figures of all tubes, as of a moment. It is made only when somebody
// looks; so it costs nothing while nobody does.
type census struct {
	router *router.Router

	turn sync.Mutex // makes a census
	mu   sync.Mutex
	now  *snapshot // as of late; nil before the first
	base *snapshot // what rates are taken against
	// forget lets go of both, which may be large.
	forget *time.Timer
}

// snapshot never changes after it has been made.
type snapshot struct {
	at     time.Time
	tubes  []tubeRow // in the order of the shards' tables, which seldom changes
	shards []router.Figures
	rated  bool // the rates are known

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
	if s := c.fresh(); s != nil {
		return s, nil
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	if s := c.fresh(); s != nil {
		return s, nil
	}
	s := &snapshot{}
	tubes := 0
	for i := range c.router.Shards() {
		f, ok := c.router.Look(ctx, i)
		if !ok {
			return nil, busy
		}
		s.shards = append(s.shards, f)
		tubes += f.Tubes
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
	c.adopt(s)
	return s, nil
}

func (c *census) fresh() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.now.at) < censusAge {
		return c.now
	}
	return nil
}

// adopt takes the rates of a new snapshot, and makes it the latest. What nobody has asked
// for in a while is forgotten.
func (c *census) adopt(s *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && (c.base == nil || c.now.at.Sub(c.base.at) >= rateSpan) {
		c.base = c.now
	}
	if c.base != nil {
		s.compare(c.base)
	}
	c.now = s
	if c.forget == nil {
		c.forget = time.AfterFunc(censusKept, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.now, c.base = nil, nil
		})
	}
	c.forget.Reset(censusKept)
}

// compare fills in the rates since an earlier snapshot.
func (s *snapshot) compare(b *snapshot) {
	seconds := s.at.Sub(b.at).Seconds()
	s.rated = true
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
