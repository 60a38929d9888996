package router

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/storagetest"
)

// moved is a store whose jobs others change.
type moved struct {
	wrapped
	jobs    []map[uint64]storagetest.Stored
	changed []map[uint64]bool
	highest uint64
	anew    bool
}

func newMoved() *moved {
	m := &moved{}
	m.wrapped = wrapped{storage.Memory(), func(i int, l storage.Log) storage.Log { return movedLog{l, m, i} }}
	for range 2 {
		m.jobs, m.changed = append(m.jobs, map[uint64]storagetest.Stored{}), append(m.changed, map[uint64]bool{})
	}
	return m
}

type movedLog struct {
	storage.Log
	of *moved
	i  int
}

func (l movedLog) MaxID() uint64 { return l.of.highest }

func (l movedLog) Replay(fn func(j *storage.Job, body []byte) error) error {
	for _, s := range storagetest.InOrder(slices.Collect(maps.Values(l.of.jobs[l.i]))) {
		if err := fn(&s.Job, []byte(s.Body)); err != nil {
			return err
		}
	}
	return nil
}

func (m *moved) Amend(shard int, _ func(string, *storage.Queue) bool, fn func(id uint64, j *storage.Job, body []byte)) (
	ok bool, err error) {
	var now []storagetest.Stored
	for id := range m.changed[shard] {
		if s, lives := m.jobs[shard][id]; lives {
			now = append(now, s)
		} else {
			fn(id, nil, nil)
		}
	}
	for _, s := range storagetest.InOrder(now) {
		fn(s.ID, &s.Job, []byte(s.Body))
	}
	clear(m.changed[shard])
	return !m.anew, nil
}

func (m *moved) Settled() error { return nil }

// change does something random to a job, an old one or a new one.
func (m *moved) change(r *rand.Rand, rank *uint64) {
	if r.Intn(3) == 0 || len(m.jobs[0])+len(m.jobs[1]) == 0 {
		m.highest++
		tube := []string{DefaultTube, "a", "b", "c", "d"}[r.Intn(5)]
		s := storagetest.RandomJob(r, m.highest, tube)
		s.Item, s.Deadline, s.Pri = nil, 0, uint32(r.Intn(4))
		if s.State == storage.Delayed {
			s.Deadline = 1 << 62
		}
		m.set(ShardOf(tube, 2), s)
		return
	}
	shard := r.Intn(2)
	ids := slices.Sorted(maps.Keys(m.jobs[shard]))
	if len(ids) == 0 {
		return
	}
	s := m.jobs[shard][ids[r.Intn(len(ids))]]
	if m.changed[shard][s.ID] = true; r.Intn(2) == 0 {
		delete(m.jobs[shard], s.ID)
		return
	}
	s.Updated, s.Deadline, s.BuryRank = true, 0, 0
	s.State, s.Pri, s.Releases = storage.Ready, uint32(r.Intn(4)), s.Releases+1
	switch r.Intn(3) {
	case 0:
		*rank++
		s.State, s.BuryRank = storage.Buried, *rank
	case 1:
		s.State, s.Deadline = storage.Delayed, 1<<62
	}
	m.set(shard, s)
}

func (m *moved) set(shard int, s storagetest.Stored) {
	m.jobs[shard][s.ID], m.changed[shard][s.ID] = s, true
}

// A router that has followed its store is like one that has just been made on it.
func TestPreparedRouterIsLikeANewOne(t *testing.T) {
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		m := newMoved()
		var rank uint64
		some := func() {
			for range r.Intn(30) {
				m.change(r, &rank)
			}
		}
		some()
		p := must.Get(Prepare(Options{Shards: 2}, m))
		for range r.Intn(4) {
			some()
			must.Do(t, p.CatchUp())
		}
		some()
		got := told(t, must.Get(p.Begin()), m.highest)
		want := told(t, must.Get(New(Options{Shards: 2, Store: m})), m.highest)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: the router says\n%q, a new one\n%q", seed, got, want)
		}
	}
}

// told takes all jobs out of a router, and notes what it says.
func told(t *testing.T, r *Router, highest uint64) (all []string) {
	t.Helper()
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for id := range highest {
		if shard, ok := r.Owner(id + 1); ok {
			note("job %d on shard %d", id+1, shard)
		}
	}
	note("%d tubes", r.Tubes())
	for i, s := range r.states {
		if err := s.Sound(); err != nil {
			t.Fatalf("shard %d: %v", i, err)
		}
		b := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}}
		s.Apply(r.Now(), b, &b.Ops[0])
		note("%+v", b.Sums)
	}
	c := newClient(r)
	for _, name := range []string{DefaultTube, "a", "b", "c", "d"} {
		c.use(name)
		for _, kind := range []queue.Kind{queue.PeekReady, queue.PeekBuried, queue.PeekDelayed} {
			for {
				op := c.run(c.UsedShard(), queue.Op{Kind: kind}, true)
				if op.Status != queue.OK {
					break
				}
				note("%s %d: %d %q", name, kind, op.ID, op.Data)
				c.delete(op.ID)
			}
		}
	}
	note("next %d", c.put(0, 1))
	c.close()
	return all
}

// Too much change is told, and nothing begins after it.
func TestPreparedRouterAnew(t *testing.T) {
	m := newMoved()
	p := must.Get(Prepare(Options{Shards: 2}, m))
	m.anew = true
	if err := p.CatchUp(); !errors.Is(err, ErrAnew) {
		t.Errorf("it is told %v", err)
	}
	if _, err := p.Begin(); !errors.Is(err, ErrAnew) {
		t.Errorf("it begins: %v", err)
	}
	must.Do(t, p.Close())
}
