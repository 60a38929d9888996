package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
)

// checkLives looks at the jobs that get too old (Y3).
func (s *State) checkLives(seen map[uint32]string) error {
	x, mortal := s.extra, uint32(0)
	for slot := range seen {
		t := s.optionsOf(slot)
		if t == nil || t.expires == 0 {
			continue
		}
		st, at := s.job(slot).state(), x.dyingAt.Get(slot)
		if at != cells.Nowhere {
			mortal++
		}
		if st < Passed && !s.interred(slot) && (at == cells.Nowhere) != (st == Reserved) || at != cells.Nowhere &&
			int64(x.dying.At(at).Major) != t.expires {
			return fmt.Errorf("Y3: job %d, which is %v, does not get too old", s.job(slot).id(), st)
		}
	}
	if mortal != x.dying.N {
		return fmt.Errorf("Y3: %d jobs get too old, want %d", x.dying.N, mortal)
	}
	return x.dying.Check(x.dyingAt)
}

// checkKeys looks at what puts have taken (Y1, Y2). seen are all jobs.
func (s *State) checkKeys(seen map[uint32]string) error {
	if s.extra == nil {
		return nil
	}
	x, refs := s.extra, map[uint32]uint64{}
	for slot := range seen {
		ref, id := x.refOf(slot), s.job(slot).id()
		t := jobOptions{key: ref}
		if ref&optionsBit != 0 {
			t = *x.options.At(ref &^ optionsBit)
		}
		for _, r := range [...]uint32{t.key, t.once} {
			if r != 0 && refs[r] != 0 {
				return fmt.Errorf("Y1: jobs %d and %d have one record of a key", refs[r], id)
			}
			refs[r] = id
		}
	}
	delete(refs, 0)
	if err := s.checkLives(seen); err != nil {
		return err
	}
	k, windowed := &x.keys, uint32(0)
	var found []uint32
	err := k.Check(func(ref uint32) uint32 {
		found = append(found, ref)
		return k.mixedOf(ref)
	})
	if err != nil {
		return err
	}
	for _, ref := range found {
		r := k.At(ref)
		if k.find(&r.hash) != ref {
			return fmt.Errorf("Y1: a key of job %d is not found, or twice", r.id())
		}
		if r.is(keyLives) != (refs[ref] != 0) || r.is(keyLives) && refs[ref] != r.id() {
			return fmt.Errorf("Y1: job %d has a key of job %d", refs[ref], r.id())
		}
		if r.is(keyWindowed) {
			windowed++
		} else if !r.is(keyLives) || r.is(keyOnce) || x.logged.get(ref) != 0 {
			return fmt.Errorf("Y2: a key of job %d has no window", r.id())
		}
		delete(refs, ref)
	}
	if len(refs) > 0 || windowed != x.ends.N || int(k.N) != k.Used() {
		return fmt.Errorf("Y2: %d keys are there, %d records, %d missing; %d have windows, want %d", k.N, k.Used(),
			len(refs), x.ends.N, windowed)
	}
	return x.ends.Check(x.endAt)
}
