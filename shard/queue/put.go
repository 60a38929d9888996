package queue

import (
	"errors"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// The log writes a large body before its job is put, which may take seconds. A
// put that has one is applied twice: first it begins, takes its id and ends with
// Staging. The goroutine that runs the queue gives the body to the log, calls Staged,
// and applies the put again.

// How far a put has come (Op.phase).
const (
	staged   = iota + 1 // the log has its large body
	admitted            // it has none to stage, and room is being made in its tube
	claimed             // it has none to stage, its id and its place
	placed              // it has its place among the server's, and nothing else yet (policy_full.go)
	unstaged            // the log has not taken its body: it has failed, for the reason in Op.Status
)

// Staged notes how the log fared with the body of a put.
func (op *Op) Staged(err error) {
	switch {
	case err == nil:
		op.phase = staged
	case errors.Is(err, storage.ErrNoSpace):
		op.phase, op.Status = unstaged, NoRoom
	default:
		op.phase, op.Status = unstaged, Failed
	}
}

// accept begins a put. It answers OK unless the put ends here, because the directory
// takes no jobs or the log has no room, or if the log must have the body first.
func (s *State) accept(t *tube, op *Op) Status {
	switch op.phase {
	case staged, admitted, claimed:
		return OK
	case unstaged:
		return s.endPut(t, op, op.Status)
	}
	var ok bool
	if op.ID, ok = s.Directory.JobBorn(op.ID); !ok {
		return Refused
	}
	if s.Durable && !s.Log.Room(int(op.Size)) {
		return s.endPut(t, op, NoRoom)
	}
	if s.Durable && op.Size > storage.LargeBody {
		return Staging
	}
	return OK
}

// endPut ends a put without a job, and its id. If the log has the body already, only a record of the job leads it
// there.
func (s *State) endPut(t *tube, op *Op, why Status) Status {
	if op.phase == staged {
		s.logNothing(storage.Job{ID: op.ID, Tube: t.name, State: storage.Ready, Size: op.Size})
	}
	if op.ID != 0 {
		s.Directory.JobGone(op.ID)
	}
	return why
}

// put makes a job in the tube that it names, or else in the one that the client uses.
func (s *State) put(b *Batch, op *Op) Status {
	if op.Tube == "" {
		return s.putInto(b.Client, b.Client.used, op)
	}
	return s.putNamed(b.Client, op)
}

func (s *State) putNamed(c *Client, op *Op) Status {
	t := s.tubeNamed([]byte(op.Tube))
	t.using++ // until it has the job
	status := s.putInto(c, t, op)
	t.using--
	s.letGo(t)
	return status
}

// tags are those that a put gives its job.
func (op *Op) tags() Tags {
	switch {
	case op.Ask != nil: // it puts an item of the queue service, which has its tags there
		return op.Ask.Tags
	case op.Options != nil:
		return op.Options.Tags
	}
	return nil
}

// delay is how long a put or a release delays the job, in nanoseconds. op.Delay is that in seconds, rounded up.
func (op *Op) delay() int64 {
	if op.Options != nil {
		return op.Options.Delay
	}
	return int64(op.Delay) * second
}

// putInto makes a job in a tube. c is who may wait for room.
func (s *State) putInto(c *Client, t *tube, op *Op) Status {
	if op.Options != nil && op.Options.keyed() && op.phase != unstaged {
		if ref, status := s.holder(t, op.Options); ref != 0 {
			id := s.extra.keys.At(ref).id()
			s.endPut(t, op, status)
			op.ID = id
			return status
		}
	}
	away, limited := s.overBudget(op.Size), t.policy != nil || s.quota != nil || op.Kind == Service
	if limited && op.phase == 0 {
		if status := s.mayEnter(c, t, op); status != OK {
			return status
		}
	}
	if status := s.accept(t, op); status != OK {
		return status
	}
	if limited {
		if status := s.enter(c, t, op, away); status != OK {
			return status
		}
	}
	s.makeJob(t, op, away)
	return OK
}

// makeJob makes the job of a put.
func (s *State) makeJob(t *tube, op *Op, away bool) {
	slot := s.jobs.Alloc()
	s.jobPos.Cover(slot)
	j := s.job(slot)
	*j = newJob(op.ID, s.now+s.Epoch, t.slot)
	j.size, j.pri, j.ttr = op.Size, op.Pri, op.TTR
	s.keepBody(slot, away, op.Data, op.Parts)
	s.index.insert(&s.jobs, slot)
	if tags := op.tags(); len(tags) > 0 {
		s.setTags(slot, tags)
	}
	if op.Options != nil {
		s.agree(slot, op)
	}
	t.total++
	t.gains(j)
	t.newest = max(t.newest, op.ID)
	s.totals.Total++
	delay := op.delay()
	if delay > 0 {
		s.rareOf(j).delay = op.Delay
		s.makeDelayed(slot, s.now+delay)
	}
	if s.Durable {
		s.logPut(slot, op)
	}
	if t.service != nil {
		t.service.index.add(s, slot)
	}
	if delay == 0 {
		s.makeReady(slot)
	}
}

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
			if s.putInto(nil, g.tubes[i], p) != OK {
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
