package queue

import (
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// gathering is a PutAll that is being carried out. It changes nothing before it is certain that all of its
// puts can be (Y4).
type gathering struct {
	puts    []Op
	tubes   []*tube  // of the puts
	origins []origin // of the puts; nil if each of them makes a job
}

// An origin is why a put makes no job: it has come before. The zero origin is that of one that makes a job.
type origin struct {
	id   uint64 // of the job that it has made then; 0:
	like int    // it is as this put of the batch, counted from 1
}

// makes says whether a put makes a job.
func (g *gathering) makes(i int) bool { return g.origins == nil || g.origins[i] == origin{} }

// A PutAll stands before the puts of its batch that are to be carried out together: all of them in one
// turn, so that a crash leaves all or none, or none of them if one cannot be. Op.Limit says how many
// they are, and their bodies have at most storage.LargeBody bytes, so none has to be staged. Each put is
// answered by itself; if there is no room for all, each with the reason of that. If a key is taken, each is
// answered with the job that has it, or with 0 if that would be another one of these puts.
func (s *State) putAll(b *Batch, op *Op) Status {
	puts := b.Ops[b.Next+1:][:op.Limit]
	g := gathering{puts: puts, tubes: make([]*tube, len(puts))}
	for i := range puts {
		g.tubes[i] = b.Client.used
		if name := puts[i].Tube; name != "" {
			g.tubes[i] = s.tubeNamed([]byte(name))
		}
		g.tubes[i].using++ // until it has the job
	}
	holder, status := s.originsOf(&g)
	if status == OK {
		if status = s.roomForAll(&g); status == OK {
			s.putEach(&g)
		}
	}
	for i, t := range g.tubes {
		t.using--
		s.letGo(t)
		if p := &puts[i]; status != More {
			if status != OK {
				p.ID = holder
			}
			p.Status = status
			p.letGo()
		}
	}
	if status != More {
		b.Next += len(puts)
	}
	return status
}

// originsOf finds the origins of the puts. It is Exists if a key is taken, and by which job.
func (s *State) originsOf(g *gathering) (holder uint64, _ Status) {
	var seen map[hash]int // keys and names of this batch, by puts counted from 1
	for i := range g.puts {
		o := g.puts[i].Options
		if o == nil || !o.keyed() {
			continue
		}
		if seen == nil {
			g.origins, seen = make([]origin, len(g.puts)), map[hash]int{}
		}
		ref, status := s.holder(g.tubes[i], o)
		like := 0
		if len(o.Once) > 0 {
			like = seen[o.once]
		}
		switch {
		case ref != 0 && status == OK:
			g.origins[i].id = s.extra.keys.At(ref).id()
			continue
		case like != 0:
			g.origins[i].like = like
			continue
		case ref != 0:
			return s.extra.keys.At(ref).id(), Exists
		case len(o.Key) > 0 && seen[o.key] != 0:
			return 0, Exists
		}
		if len(o.Key) > 0 {
			seen[o.key] = i + 1
		}
		if len(o.Once) > 0 {
			seen[o.once] = i + 1
		}
	}
	return 0, OK
}

// putEach carries the puts out, for which there is room. They may take more than what is left of a
// turn's share, but leave nothing of it then.
func (s *State) putEach(g *gathering) {
	s.atOnce(func() {
		for i := range g.puts {
			s.spend(moving)
			p := &g.puts[i]
			if !g.makes(i) {
				if p.ID = g.origins[i].id; p.ID == 0 {
					p.ID = g.puts[g.origins[i].like-1].ID
				}
				continue
			}
			if s.putInto(nil, g.tubes[i], p, p.tags()) != OK {
				panic("queue: there is no room for a put, although there was room for all")
			}
		}
	})
}

// roomForAll says whether all jobs can be made, and if so gives each its id.
func (s *State) roomForAll(g *gathering) Status {
	type load struct {
		jobs  int
		bytes int64
	}
	born, total, loads := 0, 0, map[*tube]load{}
	for i, t := range g.tubes {
		size := g.puts[i].Size
		if size > storage.LargeBody {
			panic("queue: a PutAll has a large body")
		}
		if !g.makes(i) {
			continue
		}
		born++
		if total += int(size); t.policy != nil {
			l := loads[t]
			loads[t] = load{l.jobs + 1, l.bytes + int64(size)}
		}
	}
	all := policy.AmountOf(born, int64(total), int64(total)) // as if all bodies stayed in memory
	if s.quota != nil && born > 0 && !s.quota.Fits(all) {
		s.quota.Refuse(all)
		return NoRoom
	}
	for t, l := range loads {
		if status := s.roomFor(t, l.jobs, l.bytes); status != OK {
			return status
		}
	}
	return s.allBorn(g, all)
}

// allBorn gives all jobs their ids, unless the directory takes none, or the log or the server has no room for so many.
func (s *State) allBorn(g *gathering, all policy.Amount) Status {
	for i := range g.puts {
		if !g.makes(i) {
			continue
		}
		id, ok := s.Directory.JobBorn(g.puts[i].ID)
		if !ok {
			s.giveUp(g.puts)
			return Refused
		}
		g.puts[i].ID, g.puts[i].phase = id, claimed
	}
	if all[policy.BoundJobs] > 0 && (s.Durable && !s.Log.Room(int(all[policy.BoundBytes])) || s.quota != nil &&
		!s.quota.Claim(all)) {
		s.giveUp(g.puts)
		return NoRoom
	}
	return OK
}

// giveUp ends the ids of puts that are not carried out.
func (s *State) giveUp(puts []Op) {
	for i := range puts {
		if puts[i].phase == claimed {
			s.Directory.JobGone(puts[i].ID)
		}
	}
}
