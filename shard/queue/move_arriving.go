package queue

import (
	"iter"

	"beanfield/storage"
)

// arrive puts a copy of a job that comes from another shard. Nobody sees it before Show. What a tube refuses
// to clients, it refuses here.
func (s *State) arrive(b *Batch, op *Op) Status {
	p := &b.Parcels[op.From]
	if op.phase == unstaged {
		return op.Status
	}
	if !s.step(moving) {
		return More
	}
	op.ID, op.Size, op.Tube = p.Job.Key(), p.Job.Size, p.Job.Tube
	if slot := s.slotOf(p.Job.ID); slot != 0 {
		if s.keyOf(slot) == op.ID {
			return OK // from before a restart
		}
		return Failed
	}
	t := s.tubeNamed([]byte(p.Job.Tube))
	t.using++
	status := s.arriveIn(t, op, p)
	t.using--
	s.letGo(t)
	return status
}

func (s *State) arriveIn(t *tube, op *Op, p *Parcel) Status {
	switch status := s.admits(t, op.Size, p.Cause); {
	case status == NoRoom:
		if op.phase == staged {
			s.logNothing(p.Job)
		}
		return TooLong
	case status != OK:
		return status
	case s.Durable && op.phase != staged && !s.Log.Room(int(op.Size)):
		return NoRoom
	case s.Durable && op.phase != staged && op.Size > storage.LargeBody:
		op.Parts = p.Body
		return Staging
	}
	slot := s.settleIn(t, &p.Job)
	s.keepBody(slot, s.overBudget(op.Size), nil, p.Body)
	s.enters(slot)
	s.index.insert(&s.jobs, slot)
	s.restoreOptions(slot, p.Job.Item)
	y, tr := s.routeOf(slot), s.rareOf(s.job(slot))
	switch p.Job.State {
	case storage.Delayed:
		y.will, tr.key = Delayed, max(1, p.Job.Deadline-s.Epoch)
	case storage.Buried:
		s.buryRank++
		y.will, tr.key = Buried, int64(s.buryRank)
	default:
		y.will = Ready
	}
	s.makeArriving(slot)
	if s.Durable {
		op.Parts = p.Body
		s.logPut(slot, op)
	}
	op.Parts = nil
	return OK
}

// settleIn makes the record of a job that comes with a past, in no place and without its body.
func (s *State) settleIn(t *tube, r *storage.Job) (slot uint32) {
	slot = s.newRecord(t, r)
	j := s.job(slot)
	t.gains(j)
	if r.Delay > 0 || r.Counters != (storage.Counters{}) {
		tr := s.rareOf(j)
		tr.delay, tr.Counters = r.Delay, r.Counters
	}
	return slot
}

// newRecord makes that record, which counts for no tube.
func (s *State) newRecord(t *tube, r *storage.Job) (slot uint32) {
	slot = s.jobs.Alloc()
	s.jobPos.Cover(slot)
	t.newest = max(t.newest, r.ID)
	j := s.job(slot)
	*j = newJob(r.ID, r.Created, t.slot)
	j.size, j.pri, j.ttr = r.Size, r.Pri, r.TTR
	if r.Updated {
		j.place |= flagUpdated
	}
	return slot
}

func (s *State) makeArriving(slot uint32) {
	j := s.job(slot)
	s.tubeOf(j).transit++
	j.setState(Arriving)
	s.listAppend(&s.travel.arriving, slot)
}

// unarrive takes a job out of those that arrive, and leaves it in no place.
func (s *State) unarrive(slot uint32) {
	s.listRemove(&s.travel.arriving, slot)
	s.tubeFor(slot).transit--
}

// showArrived makes a job visible, when no other copy of it is left.
func (s *State) showArrived(_ *Batch, op *Op) Status {
	slot, status := s.travelling(op, Arriving, moving)
	if slot == 0 {
		return status
	}
	j, y := s.job(slot), s.routeAt(slot)
	t := s.tubeOf(j)
	s.unarrive(slot)
	s.unheld(slot)
	t.total++
	if t.service != nil {
		t.service.index.add(s, slot)
	}
	key := s.rareOf(j).key
	s.rare(j).key = 0
	switch y.will {
	case Delayed:
		s.makeDelayed(slot, key)
	case Buried:
		s.makeBuried(slot)
		if s.rare(j).key != key {
			s.logUpdate(slot) // others were buried before it
		}
	default:
		s.makeReady(slot)
		return OK
	}
	s.seen(slot)
	return OK
}

// A restart may find two copies of a job: the logs had what arrived, and not yet what departs. The one with
// more hops is the job. If the other is in another shard, it is leaving, and the job is arriving: so the route
// goes on with step 3 (move_leaving.go). If a change of the number of shards has brought both into one, the other is a
// ghost: it is in the log only, which is told of its end before anything else.

// exorcise makes a copy a ghost.
func (s *State) exorcise(slot uint32) {
	s.describe(slot)
	g := s.record
	g.Item = g.Item.Clone()
	s.travel.ghosts = append(s.travel.ghosts, g)
	s.unrestore(slot)
}

// unrestore takes back what was restored of a job, before there are clients.
func (s *State) unrestore(slot uint32) {
	if s.interred(slot) {
		s.unrestoreEnded(slot)
		return
	}
	s.discarding = true
	j, t := s.at(slot)
	state := j.state()
	s.unplace(slot)
	switch state {
	case Leaving:
		s.vanish(slot)
		s.letGo(t)
	case Arriving:
		t.loses(j)
		s.vanish(slot)
		s.letGo(t)
	default:
		s.forget(slot)
	}
	s.discarding = false
	s.Gone = s.Gone[:0] // the directory is not told: whoever restores jobs sees to that
}

// endGhosts tells the log of their end.
func (s *State) endGhosts() {
	for i := range s.travel.ghosts {
		s.Log.Delete(&s.travel.ghosts[i])
		s.travel.ghosts[i] = storage.Job{}
	}
	s.travel.ghosts = s.travel.ghosts[:0]
}

// overtakes says whether a copy that is about to be restored is the job. Then the other copy that is there
// becomes a ghost; otherwise this one does.
func (s *State) overtakes(r *storage.Job) bool {
	slot := s.slotOf(r.ID)
	switch {
	case slot == 0:
		return true
	case s.keyOf(slot) > r.Key():
		g := *r
		g.Item = r.Item.Clone()
		s.travel.ghosts = append(s.travel.ghosts, g)
		return false
	}
	s.exorcise(slot)
	return true
}

// duplicates finds the jobs of which a replay has brought two copies.
func (s *State) duplicates() {
	if s.travel.far == 0 {
		return
	}
	var old []uint32
	for slot := range s.travellers() {
		if other := s.index.other(&s.jobs, slot); other != 0 && s.keyOf(other) < s.keyOf(slot) {
			old = append(old, other)
		}
	}
	for _, slot := range old {
		s.exorcise(slot)
	}
}

// travellers are the jobs that have come from another shard.
func (s *State) travellers() iter.Seq[uint32] {
	return func(yield func(slot uint32) bool) {
		for ref := range s.travel.routes.All() {
			if y := s.travel.routes.At(ref); y.hops > 0 && !yield(y.job) {
				return
			}
		}
	}
}

// Traveller is a job that has come from another shard.
type Traveller struct {
	ID   uint64
	Hops uint32
}

// Travellers are these jobs, before there are clients.
func (s *State) Travellers() (list []Traveller) {
	if s.travel.far == 0 {
		return nil
	}
	for slot := range s.travellers() {
		list = append(list, Traveller{s.job(slot).id(), s.routeAt(slot).hops})
	}
	return list
}

// Resident says whether a job that was restored has never left the shard.
func (s *State) Resident(id uint64) bool {
	slot := s.slotOf(id)
	return slot != 0 && s.keyOf(slot) == id
}

// Hide makes a job that was restored arriving, because another shard has an older copy of it. It
// returns the tube of the job; "" if the job has gone on already, as it may have after a power cut that undid
// what nobody was promised.
func (s *State) Hide(id uint64) (tube string) {
	slot := s.slotOf(id)
	j, t := s.at(slot)
	will, key := j.state(), int64(0)
	if j.onItsWay() {
		return ""
	}
	if will == Delayed || will == Buried {
		key = s.rare(j).key
	}
	s.pluck(t, slot)
	if will != Delayed && will != Buried {
		will = Ready
	}
	s.routeOf(slot).will = will
	s.rareOf(j).key = key
	s.makeArriving(slot)
	return t.name
}

// Send makes a job that was restored leaving, because its copy in a tube of another shard is newer.
func (s *State) Send(id uint64, to string) {
	slot := s.slotOf(id)
	if s.job(slot).state() == Leaving {
		return
	}
	t := s.tubeFor(slot)
	s.pluck(t, slot)
	t.loses(s.job(slot))
	y := s.routeOf(slot)
	s.setTarget(y, to)
	y.will = Ready
	s.rareOf(s.job(slot)).key = 0
	s.makeLeaving(slot)
}

// pluck takes a job that was restored out of its place, and from the queue service.
func (s *State) pluck(t *tube, slot uint32) {
	s.unplace(slot)
	if s.discarding = true; t.service != nil {
		t.service.jobGone(s, slot)
	}
	s.discarding = false
}

// Exorcise makes a job that was restored a ghost, because two other shards have copies of it: such a thing is
// possible only if a power cut has undone what nobody was promised.
func (s *State) Exorcise(id uint64) {
	if slot := s.slotOf(id); slot != 0 {
		s.exorcise(slot)
	}
}
