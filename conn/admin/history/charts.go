package history

import (
	"math"
	"sync"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// mostTubes is how many tubes have a history (HI1).
const mostTubes = 100

// Charts has the histories. The sampler's goroutine writes it, and any goroutine may read it.
type Charts struct {
	mu    sync.RWMutex // of line, total and the series of tubes; the writer reads without it
	line  timeline
	total *series
	tubes map[string]*followed

	// Only the writer uses the others.
	recent *recent // nil while all tubes are followed
	all    bool    // all tubes of the sample before were followed
	before *before // nil if there is no sample before
}

// before is what a sample is compared with.
type before struct {
	at       time.Time
	sums     queue.Sums
	turns    uint64
	waiting  int
	commands tally.Reading
	commits  tally.Reading
}

func newCharts() *Charts { return &Charts{total: newSeries(totalKeys), tubes: map[string]*followed{}} }

// quiet says whether nothing has happened since the sample before: then all tubes are as they
// were, and need no census. (Turns are only counted up: after a sample that was given up, they are
// others than before.)
func (b *Charts) quiet(s *sample) bool {
	_, turns, _ := s.sums()
	if s.same = b.before != nil && b.before.turns == turns; s.same {
		s.waiting = b.before.waiting
	}
	return s.same
}

// begin prepares for a census.
func (b *Charts) begin() {
	for _, t := range b.tubes {
		t.met = false
	}
	if b.recent != nil {
		b.recent.turn()
	}
}

// write takes a sample into the histories.
func (b *Charts) write(s *sample) {
	if !s.same {
		b.mu.Lock()
		b.choose(s)
		b.mu.Unlock()
	}
	var seconds float64
	if b.before != nil {
		seconds = s.at.Sub(b.before.at).Seconds()
	}
	total := b.compare(s, seconds)
	unix := s.at.Unix()
	slot := unix / Day.Step()
	b.mu.Lock()
	defer b.mu.Unlock()
	places := b.line.enter(unix, func(place int) {
		b.total.forget(place)
		for _, t := range b.tubes {
			t.forget(place)
		}
	})
	b.total.write(places, slot, total)
	for _, t := range b.tubes {
		t.write(places, slot, t.point(seconds))
		t.known, t.total, t.deletes = true, 0, 0
		if t.met {
			t.total, t.deletes = t.now.Total, t.now.Deletes
		}
	}
}

// point are the figures of a tube. One that does not exist has no jobs.
func (t *followed) point(seconds float64) []float32 {
	if !t.met {
		return make([]float32, tubeKeys)
	}
	p := []float32{float32(t.now.Ready), float32(t.now.Reserved), float32(t.now.Delayed), float32(t.now.Buried), none,
		none}
	if t.known {
		p[Puts], p[Done] = rate(since(t.total, t.now.Total), seconds), rate(since(t.deletes, t.now.Deletes), seconds)
	}
	return p
}

// compare returns the totals of a sample, and keeps what the next one needs. What has been put
// and is not there any more has been deleted.
func (b *Charts) compare(s *sample, seconds float64) []float32 {
	sums, turns, commits := s.sums()
	p := make([]float32, totalKeys)
	p[Ready], p[Reserved], p[Delayed], p[Buried] = float32(sums.Ready), float32(sums.Reserved), float32(sums.Delayed),
		float32(sums.Buried)
	p[Waiting] = float32(s.waiting)
	for i := Puts; i < totalKeys; i++ {
		if i != Waiting {
			p[i] = none
		}
	}
	if w := b.before; w != nil {
		puts := since(w.sums.Total, sums.Total)
		left := int64(held(&sums) - held(&w.sums))
		p[Puts], p[Done] = rate(puts, seconds), rate(uint64(max(0, int64(puts)-left)), seconds)
		p[Timeouts] = rate(since(w.sums.Timeouts, sums.Timeouts), seconds)
		within(p[CommandHalf:CommandMost+1], &s.commands, &w.commands)
		within(p[CommitHalf:CommitMost+1], &commits, &w.commits)
	}
	b.before = &before{s.at, sums, turns, s.waiting, s.commands, commits}
	return p
}

func held(s *queue.Sums) int { return s.Ready + s.Reserved + s.Delayed + s.Buried }

func rate(n uint64, seconds float64) float32 {
	if seconds <= 0 {
		return none
	}
	return float32(float64(n) / seconds)
}

// shares are those of CommandHalf and the like.
var shares = [...]float64{0.5, 0.9, 0.99}

// within finds the bounds, in microseconds, within which shares of what came between two
// readings were done. If nothing came, nobody knows.
func within(p []float32, now, was *tally.Reading) {
	var grown [len(now.Counts)]uint64
	var total uint64
	for i, n := range now.Counts {
		grown[i] = since(was.Counts[i], n)
		total += grown[i]
	}
	if total == 0 {
		return
	}
	for k, share := range shares {
		left := float64(total) * share
		for i, n := range grown {
			if left -= float64(n); n > 0 && left <= 1e-9 {
				p[k] = float32(math.Exp2(float64(i)/4-20) * 1e6)
				break
			}
		}
	}
}
