package queue

import "beanfield/storage"

// A PutAll stands before the puts of its batch that are to be carried out together: all of them in one
// turn, so that a crash leaves all or none, or none of them if one cannot be. Op.Limit says how many
// they are, and their bodies have at most storage.LargeBody bytes, so none has to be staged. Each put is
// answered by itself; if there is no room for all, each with the reason of that.
func (s *State) putAll(now int64, b *Batch, op *Op) {
	puts := b.Ops[b.Next+1:][:op.Limit]
	tubes := make([]*tube, len(puts))
	for i := range puts {
		tubes[i] = s.tubeOfPut(b.Client, &puts[i])
		tubes[i].using++ // until it has the job
	}
	if op.Status = s.roomForAll(tubes, puts); op.Status == OK {
		s.putEach(now, tubes, puts)
	}
	for i, t := range tubes {
		t.using--
		s.letGo(t)
		if p := &puts[i]; op.Status != More {
			if op.Status != OK {
				p.Status = op.Status
			}
			p.letGo()
		}
	}
	if op.Status != More {
		b.Next += len(puts)
	}
}

func (s *State) tubeOfPut(c *Client, op *Op) *tube {
	if op.Tube == "" {
		return c.used
	}
	return s.tubeNamed([]byte(op.Tube))
}

// putEach carries the puts out, for which there is room. They may take more than what is left of a
// turn's share, but leave nothing of it then.
func (s *State) putEach(now int64, tubes []*tube, puts []Op) {
	const plenty = 1 << 30
	left := s.share
	s.share = plenty
	for i := range puts {
		if s.putInto(now, tubes[i], &puts[i], nil); puts[i].Status != OK {
			panic("queue: there is no room for a put, although there was room for all")
		}
	}
	s.share = left - (plenty - s.share) - moving*len(puts)
}

// roomForAll says whether all puts can be carried out, and if so gives each its id.
func (s *State) roomForAll(tubes []*tube, puts []Op) Status {
	type load struct {
		jobs  int
		bytes int64
	}
	total, loads := 0, map[*tube]load{}
	for i, t := range tubes {
		size := puts[i].Size
		if size > storage.LargeBody {
			panic("queue: a PutAll has a large body")
		}
		if total += int(size); t.policy != nil {
			l := loads[t]
			loads[t] = load{l.jobs + 1, l.bytes + int64(size)}
		}
	}
	if s.quota != nil && !s.quota.Fits(allInside(len(puts), total)) {
		return NoRoom
	}
	for t, l := range loads {
		jobs, bytes := t.count+l.jobs, t.bytes+l.bytes
		switch p := t.policy; {
		case !p.over(jobs, bytes):
		case p.victims == nil:
			return NoRoom
		case !s.ranked(t):
			return More
		case p.over(jobs-int(p.victims.heap.N), bytes-p.victims.bytes):
			return NoRoom
		}
	}
	for i := range puts {
		id, ok := s.Directory.JobBorn(puts[i].ID)
		if !ok {
			s.giveUp(puts[:i])
			return Refused
		}
		puts[i].ID, puts[i].phase = id, claimed
	}
	if len(puts) > 0 && (s.Durable && !s.Log.Room(total) || s.quota != nil && !s.quota.Claim(allInside(len(puts), total))) {
		s.giveUp(puts)
		return NoRoom
	}
	return OK
}

// giveUp ends the ids of puts that are not carried out.
func (s *State) giveUp(puts []Op) {
	for i := range puts {
		s.Directory.JobGone(puts[i].ID)
	}
}
