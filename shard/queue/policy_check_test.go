package queue

import (
	"fmt"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// checkPolicy looks at what a tube has for its policy (M2).
func (s *State) checkPolicy(t *tube) error {
	p := t.policy
	if (p.victims != nil) != (p.Full != policy.FullRefuse) || (p.ages != nil) != (p.Expire > 0) {
		return fmt.Errorf("M2: tube %q has the wrong rankings", t.name)
	}
	if !p.rate.Sound(p.Policy) {
		return fmt.Errorf("M4: tube %q has %+v", t.name, p.rate)
	}
	if p.ages != nil {
		var at int64
		if h := p.ages; h.N > 0 {
			at = s.expires(p.Policy, int64(h.Top().Major)*millisecond)
		}
		all := &s.policies
		if all.expiring.When(t.slot) != at {
			return fmt.Errorf("M3: tube %q has jobs that are too old at %d, which is in no timeline", t.name, at)
		}
		want := t.ready.N
		if !p.ExpireReady {
			want += t.delayed.N + uint32(t.buried.N)
		}
		err := s.checkRanking(p.ages, all.ages, s.ranked(t), want, func(j *job, slot uint32) (cells.Entry, bool) {
			return s.ageKey(p.Policy, slot), j.tube() == t.slot && p.countsAge(j.state())
		})
		if err != nil {
			return err
		}
	}
	if p.victims != nil {
		return s.checkRanking(p.victims, s.policies.victims, s.ranked(t), t.ready.N,
			func(j *job, slot uint32) (cells.Entry, bool) {
				return victimKey(p.Full, j, slot), j.tube() == t.slot && j.state() == Ready
			})
	}
	return nil
}

// checkRanking looks for jobs that are not, or no longer, where they should be ranked.
func (s *State) checkRanking(r *cells.Ranking, p cells.Positions, whole bool, want uint32,
	key func(*job, uint32) (cells.Entry, bool)) error {
	if whole && r.N != want {
		return fmt.Errorf("M2: %d jobs are ranked, want %d", r.N, want)
	}
	return r.Check(p, func(slot uint32) (cells.Entry, uint32, bool) {
		j := s.job(slot)
		k, ok := key(j, slot)
		return k, j.size, ok
	})
}

// checkSizes counts the jobs of all tubes and their bytes (M1). seen are all jobs.
func (s *State) checkSizes(seen map[uint32]string) error {
	count, bytes, reserved := map[uint32]int{}, map[uint32]int64{}, map[uint32]int{}
	for slot := range seen {
		j := s.job(slot)
		if j.state() == Leaving || s.interred(slot) {
			continue
		}
		if count[j.tube()]++; j.state() == Reserved {
			reserved[j.tube()]++
		}
		bytes[j.tube()] += int64(j.size)
	}
	for name, t := range s.tubes {
		if t.reserved != reserved[t.slot] {
			return fmt.Errorf("S3: tube %q counts %d reserved jobs, has %d", name, t.reserved, reserved[t.slot])
		}
		if t.count != count[t.slot] || t.bytes != bytes[t.slot] {
			return fmt.Errorf("M1: tube %q counts %d jobs of %d bytes, has %d of %d", name, t.count, t.bytes,
				count[t.slot], bytes[t.slot])
		}
	}
	return nil
}

// checkLives looks at the jobs that get too old (Y3).
func (s *State) checkLives(seen map[uint32]string) error {
	x, mortal := s.extra, uint32(0)
	for slot := range seen {
		t := s.optionsOf(slot)
		if t == nil || t.expires == 0 {
			continue
		}
		st, at := s.job(slot).state(), x.dying.When(slot)
		if at != 0 {
			mortal++
		}
		if st < Passed && !s.interred(slot) && (at == 0) != (st == Reserved) || at != 0 && at != t.expires {
			return fmt.Errorf("Y3: job %d, which is %v, does not get too old", s.job(slot).id(), st)
		}
	}
	if mortal != x.dying.N {
		return fmt.Errorf("Y3: %d jobs get too old, want %d", x.dying.N, mortal)
	}
	return x.dying.Check()
}

// checkKeys looks at what puts have taken (Y1, Y2). seen are all jobs.
func (s *State) checkKeys(seen map[uint32]string) error {
	if s.extra == nil {
		return nil
	}
	x, refs := s.extra, map[uint32]uint64{}
	for slot := range seen {
		t, id := x.of(slot), s.job(slot).id()
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
	return x.ends.Check()
}

// checkTagIndexes looks for jobs that are in the wrong tag index, and for clients that wait where they could be
// served (TG1, TG2).
func (s *State) checkTagIndexes() error {
	if s.tagIndexes == nil {
		return nil
	}
	users := map[*tagIndex]int{}
	for slot := range s.clients.N {
		if c := s.clients.Get(slot); c != nil && c.wish != nil && c.wish.kept != nil {
			users[c.wish.kept]++
		}
	}
	lines := 0
	for tags, v := range s.tagIndexes.of {
		if string(v.tags) != tags || v.users < users[v] || v.users == 0 || !slices.Contains(s.tagIndexes.by[v.pair],
			v) {
			return fmt.Errorf("TG3: a tag index is filed wrongly, or is nobody's")
		}
		if err := s.checkTagIndex(v); err != nil {
			return err
		}
		if v.line.N > 0 {
			lines++
			if !v.whole() || s.tagIndexes.sought[v.place] != v {
				return fmt.Errorf("TG2: clients wait in a tag index that is not whole")
			}
		}
		last := uint64(0)
		err := v.line.CheckAll(func(c *Client) error {
			if c.arrival <= last || c.wish.tagIndex != v {
				return fmt.Errorf("S4: a client waits in the wrong place of a tag index, or in the wrong one")
			}
			last = c.arrival
			return nil
		})
		if err != nil {
			return err
		}
	}
	if lines != len(s.tagIndexes.sought) {
		return fmt.Errorf("TG2: %d tag indexes have a line, %d are sought", lines, len(s.tagIndexes.sought))
	}
	return nil
}

func (s *State) checkTagIndex(v *tagIndex) error {
	for name, t := range s.tubes {
		want := uint32(0)
		for i := range t.ready.N {
			if s.jobHas(t.ready.At(i).Slot, v.tags) {
				want++
			}
		}
		r := v.tubes[t]
		if r == nil {
			r = new(cells.Ranking)
		} else if r.N == 0 {
			return fmt.Errorf("TG1: a tag index has no jobs of tube %q", name)
		}
		err := s.checkRanking(r, v.at, v.whole(), want, func(j *job, slot uint32) (cells.Entry, bool) {
			return s.placeKey(t, slot), j.state() == Ready && j.tube() == t.slot && s.jobHas(slot, v.tags)
		})
		if err != nil {
			return fmt.Errorf("TG1: %w (tube %q)", err, name)
		}
	}
	for t := range v.tubes {
		if s.tubes[t.name] != t {
			return fmt.Errorf("TG1: a tag index has jobs of tube %q, which has ended", t.name)
		}
	}
	return nil
}
