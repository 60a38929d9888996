package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// The figures of a point, in their order. A tube has those up to Done.
const (
	Ready = iota
	Reserved
	Delayed
	Buried
	Puts // a second, as all that follow
	Done
	tubeKeys
)

const (
	Waiting  = tubeKeys + iota
	Timeouts // a second
	// How long commands took, in microseconds: half of them, 90 % and 99 % were done in this.
	CommandHalf
	CommandNine
	CommandMost
	// The same for commits to the log.
	CommitHalf
	CommitNine
	CommitMost
	totalKeys
)

// followed is a tube with a history. Only the goroutine of the sampler uses it, but for the
// series.
type followed struct {
	*series
	name  string
	score float64 // about how much it does between two samples

	now            queue.TubeFigures // at the sample under way, if met
	met            bool              // it exists
	total, deletes uint64            // at the sample before; 0 if it did not exist
	known          bool              // they are known
}

// candidate is a tube that has none.
type candidate struct {
	name   string
	grown  uint32
	weight uint64
	now    queue.TubeFigures
}

// sample is what has been found at a time.
type sample struct {
	at         time.Time
	shards     []router.Figures
	commands   tally.Reading
	same       bool // nothing has happened since the sample before
	waiting    int
	candidates []candidate // the busiest first
}

// sums adds up the shards.
func (s *sample) sums() (all queue.Sums, turns uint64, commits tally.Reading) {
	for i := range s.shards {
		f := &s.shards[i]
		all.Add(&f.Sums)
		turns += f.Turns
		commits.Add(&f.LogMore.Commits)
	}
	return all, turns, commits
}

// busier orders candidates: first those that do the most, then those that had or have the most
// jobs.
func busier(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.grown, a.grown), cmp.Compare(b.weight, a.weight), cmp.Compare(a.name, b.name))
}

// meet takes in a part of the census.
func (b *Charts) meet(s *sample, list []queue.TubeFigures) {
	for i := range list {
		f := &list[i]
		s.waiting += f.Waiting
		if t := b.tubes[f.Name]; t != nil {
			t.now, t.met = *f, true
			continue
		}
		c := candidate{name: f.Name, weight: f.Total + uint64(f.Jobs()), now: *f}
		if b.recent != nil {
			c.grown = b.recent.measure(f.Name, f.Total+f.Deletes)
		}
		if n := len(s.candidates); n < mostTubes || busier(&c, &s.candidates[n-1]) < 0 {
			at, _ := slices.BinarySearchFunc(s.candidates, c, func(x, y candidate) int { return busier(&x, &y) })
			s.candidates = slices.Insert(s.candidates, at, c)
			s.candidates = s.candidates[:min(len(s.candidates), mostTubes)]
		}
	}
}

// fading is what is left of a score after a sample in which the tube has done nothing: half of
// it after ten minutes.
const fading = 0.98851402035289613535 // 2^(-1/60)

// faded is a score of a tube that has been idle for an hour and more.
const faded = 0.01

// choose decides which tubes have a history from now on. A busy tube takes the place of one
// that does less than half as much, and any tube that of one that has ended and was idle long
// before.
func (b *Charts) choose(s *sample) {
	for _, t := range b.tubes {
		t.score = t.score*fading + float64(t.grown())*(1-fading)
	}
	var idlest []*followed
	if len(b.tubes)+len(s.candidates) > mostTubes {
		idlest = slices.SortedFunc(maps.Values(b.tubes), func(x, y *followed) int {
			return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.name, y.name))
		})
	}
	refused := false
	for i := range s.candidates {
		c := &s.candidates[i]
		if len(b.tubes) >= mostTubes {
			at := slices.IndexFunc(idlest, func(t *followed) bool {
				return float64(c.grown) > 2*t.score+1 || !t.met &&
					t.score < faded
			})
			if refused = refused || at < 0; at < 0 {
				continue
			}
			delete(b.tubes, idlest[at].name)
			idlest = slices.Delete(idlest, at, at+1)
		}
		b.follow(c)
	}
	if b.all = !refused; b.all {
		b.recent = nil
	} else if b.recent == nil {
		b.recent = newRecent()
	}
}

// follow begins a history. If all tubes of the sample before had one, this tube has come since,
// and its counters began at 0.
func (b *Charts) follow(c *candidate) {
	t := &followed{series: newSeries(tubeKeys), name: strings.Clone(c.name), score: float64(c.grown), now: c.now,
		met: true, known: b.all}
	b.tubes[t.name] = t
}

// grown is how many jobs were put and deleted since the sample before.
func (t *followed) grown() uint64 {
	if !t.met || !t.known {
		return 0
	}
	return since(t.total, t.now.Total) + since(t.deletes, t.now.Deletes)
}

// since is how much a counter has grown. That of a tube that has ended meanwhile began anew.
func since(before, now uint64) uint64 {
	if now < before {
		return now
	}
	return now - before
}
