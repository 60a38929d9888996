package locallog

import (
	"cmp"
	"slices"

	"beanfield/storage/turns"
)

// A damaged log has gaps, and so has what a crash leaves behind its end, which later openings
// do not overwrite at once. Salvage must tell the two apart. Records that chain hang together:
// all of them are of the log, or none. So it looks at such threads. The one at the store's
// place is of the log. Of the others, it leaves out those that contradict one it believes.
// It first believes those for which there is proof, then those that know of later
// syncs, since each opening begins with all that had been durable, and then those that go on
// longest.
//
// A thread without proof that begins behind all that anything says had been durable is what
// a crash left: what was appended after a sync names that sync.

// A thread is a row of runs that chain.
type thread []run

func (t thread) first() uint64     { return t[0].first }
func (t thread) last() turns.Place { return t[len(t)-1].last }

func (t thread) claim() (most uint64) {
	for _, r := range t {
		most = max(most, r.synced)
	}
	return most
}

// proved says that the record before the thread had been durable when one of the thread was
// written, so it is missing by damage, and not by a crash.
func (t thread) proved() bool { return t.claim()+1 >= t.first() }

// believed returns what of the log has been found, in order and without contradictions.
func (s *salvage) believed() []thread {
	main, others := s.threads()
	slices.SortFunc(others, func(a, b thread) int {
		if a.proved() != b.proved() {
			if a.proved() {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.claim(), a.claim()), cmp.Compare(b.last().Number, a.last().Number),
			cmp.Compare(a.first(), b.first()))
	})
	var all []thread
	if main != nil {
		all = append(all, main)
	}
	for _, t := range others {
		if t.first() <= s.from.Number+1 || t.first() > s.claim() && !t.proved() {
			continue
		}
		if !slices.ContainsFunc(all, func(a thread) bool { return s.contradict(a, t) }) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b thread) int { return cmp.Compare(a.first(), b.first()) })
	return all
}

// contradict says that two threads cannot both be of the log.
func (s *salvage) contradict(a, b thread) bool {
	if a.first() > b.first() {
		a, b = b, a
	}
	if b.first() <= a.last().Number+1 {
		return true // two records of a number, or one that does not chain to the one before it
	}
	earlier, later := a[len(a)-1].epochs[1], b[0].epochs[0]
	return earlier != later && s.opened[later] <= a.last().Number
}

// threads returns the thread at the store's place, and all others: one from each run on.
func (s *salvage) threads() (main thread, others []thread) {
	behind := map[turns.Place]run{}
	before := func(r run) turns.Place {
		return turns.Place{Origin: s.from.Origin, Number: r.first - 1, Hash: r.before}
	}
	for _, r := range s.runs {
		if old, ok := behind[before(r)]; !ok || old.last.Number < r.last.Number {
			behind[before(r)] = r // one may be a copy, in the body of a job
		}
	}
	for _, r := range s.runs {
		t := thread{r}
		for next, ok := behind[r.last]; ok; next, ok = behind[next.last] {
			t = append(t, next)
		}
		if main == nil && (r.holds || before(r) == s.from) {
			main = t
		} else {
			others = append(others, t)
		}
	}
	return main, others
}
