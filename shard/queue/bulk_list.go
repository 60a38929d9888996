package queue

import (
	"bytes"
	"errors"
	"slices"

	"beanfield/storage"
)

// A list of jobs comes in pages, and a page in the order of the jobs' records. A job stays in its
// record as long as it lives in this shard, so whoever goes on where a page has ended is shown each
// job that lives throughout exactly once, whatever happens meanwhile. That costs no order of its own;
// to pass a record takes some nanoseconds. If few jobs may be meant, because a tube has few in the
// states asked for, they are found through the tube instead, and put in that order.
//
// What a body contains is looked for here if the body is small. A large one is given out, since nobody
// changes it, and one that is not in memory is read when the turn has been committed; it is up to
// the asker to look for the text in these.

// Listing is what a List operation asks for, and its answer. A batch has one at most.
type Listing struct {
	Filter
	From   uint32 // the record to begin with
	Most   int    // jobs
	Bodies int    // bytes of each body to be shown

	// Answers. They are the asker's when the batch is complete.
	Jobs   []Listed
	Next   uint32 // where to go on; 0 if that was all
	Cost   int    // what it took, in the units of a share
	Looked int    // jobs of the tubes meant

	volume int    // bytes of bodies, tags and traces in Jobs
	known  uint32 // the tube that the authorizer was asked about last
	allows bool   // and what it said
}

// Listed is a job in a list.
type Listed struct {
	JobFigures
	Tags Tags
	Rank int64 // of a buried job: they are kicked in this order

	Holder   any    // of a reserved job: a client's Waiter, or the Receiver of a consumer
	Consumer string // GROUP.USER
	Held     int64  // seconds since it was reserved or last touched; -1 if that is not known

	Body     []byte   // as much as is shown
	Large    [][]byte // the whole body, if it is large or had to be read
	Away     bool     // it is still to be read, or could not be
	Searched bool     // its body has been searched, or need not be
}

// Bounds of a page.
const (
	fewJobs   = 1024      // so many at most are found through a tube
	listBytes = maxVolume // of bodies and tags; one job more may exceed it
	searching = 128       // bytes of a body that are searched for one looking
	awayMost  = 64        // bodies to be read

	traceBytes = MaxName // that a trace takes in an answer, about

	leastListed = 16 // of a tube's jobs that were found through it
)

// list makes a page: as much as the share allows, and one record at least.
func (s *State) list(b *Batch, op *Op) Status {
	l := b.List
	clear(l.Jobs)
	*l = Listing{Filter: l.Filter, From: max(l.From, 1), Most: l.Most, Bodies: l.Bodies, Jobs: l.Jobs[:0]}
	share := s.share
	defer func() { l.Cost = share - s.share }()
	if l.Tube == "" {
		s.listRecords(b, nil)
		return OK
	}
	s.spend(summing)
	t := s.tubes[l.Tube]
	switch {
	case b.Authorizer != nil && !b.Authorizer(List, l.Tube):
		return Denied
	case t == nil:
		return NotFound
	}
	if op.Tube = t.name; s.few(t, l.States) {
		s.listFew(b, t)
	} else {
		s.listRecords(b, t)
	}
	return OK
}

// few says that so few jobs of a tube are in some states that it is quicker to ask the tube.
func (s *State) few(t *tube, of States) bool {
	n := t.countOf(of)
	if of.Has(Reserved) && t.reserved > 0 { // these are found at their holders
		n += s.totals.Reserved + int(s.clients.N)
	}
	return n <= fewJobs
}

// listFew makes a page of a tube's jobs when they are few.
func (s *State) listFew(b *Batch, t *tube) {
	l := b.List
	slots := s.idle(t, l.States.Has, s.slots[:0])
	if l.States.Has(Reserved) {
		slots = slices.AppendSeq(slots, s.heldOf(t))
	}
	s.spend(looking * len(slots))
	slots = slices.DeleteFunc(slots, func(slot uint32) bool { return slot < l.From })
	slices.Sort(slots)
	s.slots = slots[:0]
	for i, slot := range slots {
		if l.full() || i >= leastListed && s.spent() { // to find them costs more than to list some
			l.Next = slot
			return
		}
		s.listJob(l, slot)
		s.readable(b)
	}
}

// listRecords makes a page by going through all records; t is nil for all tubes.
func (s *State) listRecords(b *Batch, t *tube) {
	l := b.List
	l.Next = s.records(l.From, func(slot uint32) bool {
		if l.full() {
			return false
		}
		if of := s.job(slot).tube(); t != nil && of == t.slot || t == nil && s.mayList(b, of) {
			s.listJob(l, slot)
			s.readable(b)
		}
		return true
	})
}

// mayList says whether the client may see the jobs of a tube.
func (s *State) mayList(b *Batch, tube uint32) bool {
	if b.Authorizer == nil {
		return true
	}
	if l := b.List; l.known != tube {
		s.spend(summing)
		l.known, l.allows = tube, b.Authorizer(List, s.tubeAt.Get(tube).name)
	}
	return b.List.allows
}

// full says that a page has as much as it may.
func (l *Listing) full() bool { return len(l.Jobs) >= l.Most || l.volume > listBytes }

// listJob adds a job to the page, if the filter chooses it or may choose it.
func (s *State) listJob(l *Listing, slot uint32) {
	s.spend(looking)
	if len(l.Tags) > 0 && s.job(slot).rare != 0 {
		s.spend(reaching)
	}
	if !s.chooses(&l.Filter, slot) {
		if s.job(slot).state() < Passed {
			l.Looked++
		}
		return
	}
	l.Looked++
	j := s.job(slot)
	k := Listed{Searched: len(l.Body) == 0, Held: -1}
	if !k.Searched || l.Bodies > 0 {
		switch small, large := s.bodyOf(j); {
		case large != nil, j.away():
			k.Large, k.Away = large, j.away()
			if l.volume += int(j.size); k.Away {
				l.volume += listBytes / awayMost
			}
		case !k.Searched:
			s.spend(reaching + len(small)/searching)
			if k.Searched = bytes.Contains(small, l.Body); !k.Searched {
				return
			}
			fallthrough
		default:
			k.Body = bytes.Clone(small[:min(len(small), l.Bodies)])
			l.volume += len(k.Body)
		}
	}
	s.spend(summing)
	k.JobFigures = s.jobFigures(slot)
	k.Tags = slices.Clone(s.tagsOf(slot))
	l.volume += len(k.Tags)
	if len(k.Been) > 0 {
		s.spend(summing)
		l.volume += len(k.Been) * traceBytes
	}
	switch j.state() {
	case Reserved:
		s.holding(&k, slot)
	case Buried:
		k.Rank = s.rare(j).key
	}
	l.Jobs = append(l.Jobs, k)
}

// bodyOf is a body in memory.
func (s *State) bodyOf(j *job) (small []byte, large [][]byte) {
	if j.away() {
		return nil, nil
	}
	return s.bodies.Get(j.body, j.size)
}

// holding says who holds a job, and for how long.
func (s *State) holding(k *Listed, slot uint32) {
	j := s.job(slot)
	if key := s.rare(j).key; key != 0 {
		k.Held = max(0, (s.now-key+int64(j.ttr)*second)/second)
	}
	if c := s.holderOf(slot); c.consumer == nil {
		k.Holder = c.Waiter
	} else {
		k.Consumer, k.Holder = c.consumer.title()
	}
}

// readable has the bodies that a page lacks read.
func (s *State) readable(b *Batch) {
	if n := len(b.List.Jobs); n > 0 && b.List.Jobs[n-1].Away {
		b.lacking = true
	}
}

// supplyListed completes a page with the bodies that it lacks. Jobs whose bodies cannot be read are shown without.
// Jobs that have ended meanwhile are left out. If the log has failed, so has the operation.
func (b *Batch) supplyListed(read Reader) (damaged []uint64) {
	kept := b.List.Jobs[:0]
	for _, k := range b.List.Jobs {
		if k.Away {
			body, err := read(k.ID, k.Size)
			switch {
			case err == nil:
				k.Away, k.Large = false, [][]byte{body}
			case errors.Is(err, storage.ErrNoBody):
				continue
			case errors.Is(err, storage.ErrUnreadable):
				damaged = append(damaged, k.ID)
			default:
				b.Ops[b.Next-1].Status = Failed
			}
		}
		kept = append(kept, k)
	}
	clear(b.List.Jobs[len(kept):])
	b.List.Jobs = kept
	return damaged
}

// Filter chooses jobs by what they are. The zero value chooses all that beanstalk clients can see.
type Filter struct {
	Tube    string // "" for all
	States  States
	Tags    Tags   // that it has, and perhaps others
	Older   int64  // nanoseconds since its put, at least
	Younger int64  // less than so many; 0: any
	Body    []byte // what its body contains; looking for that may take reading it (bulk_list.go)
}

// States are some of the states of a job; 0 are all.
type States uint8

// With adds a state.
func (s States) With(st JobState) States { return s | 1<<st }

// Has says whether a state is one of them.
func (s States) Has(st JobState) bool { return s == 0 || s&(1<<st) != 0 }

// chooses says whether a filter chooses a job, as far as neither its tube nor its body decide that.
func (s *State) chooses(f *Filter, slot uint32) bool {
	j := s.job(slot)
	if j.state() == Passed || !f.States.Has(j.state()) {
		return false
	}
	if f.Older > 0 || f.Younger > 0 {
		if age := s.now + s.Epoch - j.created(); age < f.Older || f.Younger > 0 && age >= f.Younger {
			return false
		}
	}
	return len(f.Tags) == 0 || s.jobHas(slot, f.Tags)
}
