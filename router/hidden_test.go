package router

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"beanfield/shard/queue"
)

// hider is a session some of whose watched tubes are hidden, and what should be true of it. There
// is one job in each tube.
type hider struct {
	*client
	jobs    map[uint64]string
	watched []string
	may     []string
}

// reach reserves all that it can, gives it back, and says from which tubes that was.
func (h *hider) reach(t *rapid.T) (tubes []string) {
	var ids []uint64
	for {
		id, status := h.begin(true)
		if status != queue.OK {
			break
		}
		tubes = append(tubes, h.jobs[id])
		ids = append(ids, id)
	}
	for _, id := range ids {
		i, _ := h.r.Owner(id)
		if op := h.run(i, queue.Op{Kind: queue.Release, ID: id}, true); op.Status != queue.OK {
			t.Fatalf("release: status %d", op.Status)
		}
	}
	slices.Sort(tubes)
	return tubes
}

// checkWatching compares how many tubes of each shard the session believes to watch.
func (h *hider) checkWatching(t *rapid.T, tubes []string) {
	for _, f := range h.live {
		n := 0
		for _, tube := range tubes {
			if h.r.TubeShard([]byte(tube)) == f.shard {
				n++
			}
		}
		if f.watching != n {
			t.Fatalf("the session believes that it watches %d tubes of shard %d, they are %d", f.watching, f.shard, n)
		}
	}
}

// Whatever is watched, ignored and reviewed, the session reaches the tubes that it watches and may
// reserve from, and leaves nothing behind.
func TestReview(t *testing.T) {
	tubes := []string{DefaultTube, "a", "b", "c", "d", "e"}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRouterOf(rapid.IntRange(1, 3).Draw(rt, "shards"))
		producer := newClient(r)
		h := &hider{client: newClient(r), jobs: map[uint64]string{}, watched: []string{DefaultTube}, may: tubes}
		for _, tube := range tubes {
			producer.use(tube)
			h.jobs[producer.put(1, 60)] = tube
		}
		allowed := func(tube string) bool { return slices.Contains(h.may, tube) }
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			tube := rapid.SampledFrom(tubes).Draw(rt, "tube")
			switch has := slices.Contains(h.watched, tube); rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				if has || allowed(tube) {
					h.Finish(h.Watch([]byte(tube)))
					if !has {
						h.watched = append(h.watched, tube)
					}
				}
			case 1:
				done, refused := h.Ignore([]byte(tube))
				h.Finish(done)
				if has && refused != (len(h.watched) == 1) {
					rt.Fatalf("refused: %v, of %v", refused, h.watched)
				}
				if has && !refused {
					h.watched = slices.DeleteFunc(h.watched, func(name string) bool { return name == tube })
				}
			case 2:
				h.may = rapid.SliceOfDistinct(rapid.SampledFrom(tubes), rapid.ID).Draw(rt, "may")
				h.Finish(h.Review(allowed))
			}
			if !allSettled(&h.Session, allowed) || h.Watching() != len(h.watched) {
				rt.Fatal("it is not settled after a review")
			}
			want := slices.DeleteFunc(slices.Clone(h.watched), func(name string) bool { return !allowed(name) })
			slices.Sort(want)
			if got := h.reach(rt); !slices.Equal(got, want) {
				rt.Fatalf("reaches %v, want %v of %v", got, want, h.watched)
			}
			h.checkWatching(rt, want)
		}
		for id := range h.jobs {
			producer.delete(id)
		}
		h.close()
		producer.close()
		mustBeEmpty(t, r)
	})
}

// allSettled says that a review would change nothing. It looks at some tubes at a time.
func allSettled(s *Session, may func(string) bool) bool {
	for i := 0; i < s.Watching(); {
		next, settled := s.Settled(i, 2, may)
		if !settled || next > i+2 {
			return false
		}
		i = next
	}
	return true
}

// A session that watches very many tubes is reviewed in shares, and one whose tubes are all
// hidden waits until it is told to stop.
func TestReviewOfManyTubes(t *testing.T) {
	const tubes = 3*reviewShare + 7
	r := newRouterOf(4)
	c, producer := newClient(r), newClient(r)
	for i := range tubes {
		c.Finish(c.Watch([]byte{'t', byte('a' + i/26/26), byte('a' + i/26%26), byte('a' + i%26)}))
	}
	if c.Review(func(string) bool { return false }) {
		t.Error("a review of very many tubes lets nobody in")
	}
	c.Finish(false)
	producer.use("taaa")
	producer.delete(producer.put(1, 1))
	c.Finish(c.Reserve(false))
	if !c.Waiting() || !allSettled(&c.Session, func(string) bool { return false }) {
		t.Fatal("it does not wait")
	}
	id := producer.put(1, 1)
	if c.Delivered() {
		t.Error("a hidden tube delivers")
	}
	if won, done := c.CancelWait(queue.TimedOut); !won || c.Reservation.Status != queue.TimedOut {
		t.Error("the wait has ended otherwise")
	} else {
		c.Finish(done)
	}
	producer.delete(id)
	c.Finish(c.Review(func(string) bool { return true }))
	if c.hidden != nil {
		t.Error("something is still hidden")
	}
	c.close()
	producer.close()
	mustBeEmpty(t, r)
}
