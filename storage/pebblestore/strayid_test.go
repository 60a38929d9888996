package pebblestore

import (
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// The id of a body that an owner has staged, and whose job it has never put, is not given again:
// the next owner removes the body, and a job with that id would end with it. So all copies have what
// is put next, before they fold and afterwards.
func TestIDOfAStrayBodyIsNotGivenAgain(t *testing.T) {
	for _, size := range []int{10, storage.LargeBody + 7} {
		log := &kept{origin: turns.Place{Origin: 1}, most: 1 << 20}
		owner, next, other := newNode(t, log), newNode(t, log), unfolded(t, log)
		s, l := owner.serve()
		look(t, l)
		mustPut(t, l, largeJob(1, 10))
		mustCommit(t, l)
		must.Do(t, stageBody(l, 2, make([]byte, 3*storage.LargeBody)))
		must.Do(t, s.Close())

		next.catchUpAll()
		s, l = next.serve()
		look(t, l)
		again := largeJob(l.MaxID()+1, size)
		if again.ID != 3 {
			t.Fatalf("the next job is %d", again.ID)
		}
		mustPut(t, l, again)
		mustCommit(t, l)
		must.Do(t, s.Close())
		at := uint64(len(log.records))
		want := other.sum(at)
		for _, n := range []*node{owner, next} {
			n.catchUpAll()
			for range 2 {
				if got := n.sum(at); got.Jobs != 2 || got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
				must.Do(t, n.r.Fold(0))
			}
			s, l = n.serve()
			if got := look(t, l); len(got.jobs) != 2 || !got.jobs[1].Same(again) || got.maxID != 3 {
				t.Errorf("%d jobs, highest id %d", len(got.jobs), got.maxID)
			}
			must.Do(t, s.Close())
			n.close()
		}
		other.close()
	}
}
