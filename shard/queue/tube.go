package queue

import "beanfield/shard/queue/cells"

// tube is one queue of a shard. It exists while it has a job, a user or a
// watcher, or the queue service needs it (S5).
type tube struct {
	name    string
	slot    uint32
	ready   cells.Heap // (priority, id)
	delayed cells.Heap // (deadline, id)
	buried  cells.List[uint32]
	waiters cells.Line[*Client]

	service *service  // nil until the queue service has touched it
	policy  *policing // nil if no policy covers it

	pausedUntil int64 // 0 when not paused
	pauseLen    int64
	opening     bool // its pause has ended, its waiters are being served

	using, watching  int
	byMany           int // those of the watchers that watch many (manytubes.go)
	urgent, reserved int
	count            int   // its jobs, also those that only the queue service sees
	bytes            int64 // of their bodies
	transit          int   // of its jobs, those on their way to or from another shard
	total            uint64
	newest           uint64 // the highest id that a job here has had
	deletes, pauses  uint64

	line []*roomWait // puts that wait for room, in the order in which they came

	graves     int   // jobs of it lie in so many (bulk_grave.go)
	purgedRank int64 // jobs buried up to this rank lie there
	gone       bool  // it has ended, and keeps its number for the graves
}

func (t *tube) jobs() int {
	return int(t.ready.N) + int(t.delayed.N) + t.buried.N + t.reserved
}

func (t *tube) paused() bool { return t.pausedUntil != 0 }

// offers says that a reserve may take a job from the tube now.
func (t *tube) offers() bool { return t.ready.N > 0 && !t.shut() }

// shut says that no reserve may take from the tube just now.
func (t *tube) shut() bool {
	return t.pausedUntil != 0 || t.opening || t.policy != nil && t.throttled()
}

// tubeNamed finds a tube or makes it.
func (s *State) tubeNamed(name []byte) *tube {
	if t := s.tubes[string(name)]; t != nil {
		return t
	}
	t := &tube{name: string(name)}
	if t.slot = s.tubeAt.Add(t); t.slot == maxTubes {
		panic("queue: more tubes than a job's record can name")
	}
	s.timeline.Cover(t.slot)
	s.opening.Cover(t.slot)
	s.tubes[t.name] = t
	if p := s.policyOf(t.name); p != nil {
		s.police(t, p)
	}
	s.Directory.TubeBorn(t.name)
	return t
}

// needed says that a tube has a reason to exist (S5), beside those of its policy.
func (s *State) needed(t *tube) bool {
	return t.using > 0 || t.watching > 0 || t.jobs()+t.transit > 0 || t.name == s.Pinned || t.service != nil &&
		t.service.matters()
}

// letGo ends a tube if it has lost its last reason to exist (S5). The end of a dropped
// group may call it for a tube that has already ended.
func (s *State) letGo(t *tube) {
	if s.needed(t) {
		return
	}
	if s.tubes[t.name] != t || s.discarding && t.service != nil { // a queue ends when its log says so
		return
	}
	if s.lingers(t) {
		return
	}
	if t.service != nil {
		s.unlogQueue(t.service)
	}
	t.pausedUntil = 0
	s.retime(t)
	delete(s.tubes, t.name)
	if t.gone = true; t.graves == 0 {
		s.tubeAt.Drop(t.slot)
	}
	s.Directory.TubeGone(t.name)
}

// gains and loses keep count of the tube's jobs.
func (t *tube) gains(j *job) {
	t.count++
	t.bytes += int64(j.size)
}

func (t *tube) loses(j *job) {
	t.count--
	t.bytes -= int64(j.size)
}

// soonest is when the first delayed job becomes ready; 0 if there is none.
func (t *tube) soonest() int64 {
	if t.delayed.N == 0 {
		return 0
	}
	return int64(t.delayed.Top().Major)
}

// retime moves a tube in the timeline to the moment when it next needs
// attention: its soonest delayed job, the end of its pause, or when its policy lets jobs go.
func (s *State) retime(t *tube) {
	at := cells.Sooner(t.soonest(), t.pausedUntil)
	if t.policy != nil {
		at = cells.Sooner(at, t.policy.due())
	}
	s.timeline.Schedule(t.slot, at)
}

// pause stops a tube from being served for op.Delay seconds. A length of 0
// ends a pause.
func (s *State) pause(_ *Batch, op *Op) Status {
	t := s.tubes[string(op.Data)]
	if t == nil {
		return NotFound
	}
	op.Tube = t.name
	t.pauses++
	if op.Delay == 0 {
		s.unpause(t)
		s.serveOpening()
		return OK
	}
	t.pauseLen = int64(op.Delay)
	t.pausedUntil = s.now + int64(op.Delay)*second
	s.retime(t)
	if t.opening {
		s.reopen(t)
	}
	return OK
}

// unpause ends a tube's pause. The tube opens when those who wait have been
// served.
func (s *State) unpause(t *tube) {
	t.pauseLen, t.pausedUntil = 0, 0
	s.retime(t)
	t.opening = true
	s.reopen(t)
	if t.service != nil {
		t.service.callLines(s)
	}
}

// reopen moves a tube that is opening to where its best job belongs among the
// others. With no waiter or no job left it is open, or shut again.
func (s *State) reopen(t *tube) {
	if !t.paused() && !t.throttled() && t.ready.N > 0 && s.firstWaiter(t, s.sought()) != nil {
		key := s.head(t)
		key.Slot = t.slot
		s.opening.Put(key)
		return
	}
	s.opening.Schedule(t.slot, 0)
	t.opening = false
	s.tell(t)
	if t.service != nil {
		t.service.tubeOpened(s)
	}
}

// wakes bounds how many waiters are served at once when pauses end: each costs
// its loop a write, which takes ten times as long as to move a job.
const wakes = 64

// serveOpening serves the waiters of the tubes whose pause has ended: always
// the best job of all of them first. A tube that is not open after that, because
// many wait, stays shut for other clients until a later turn has served the rest: a
// new client joins the queue.
func (s *State) serveOpening() {
	for n := 0; n < wakes && s.opening.N > 0 && s.step(moving); n++ {
		t := s.tubeAt.Get(s.opening.Top().Slot)
		if c := s.firstWaiter(t, s.sought()); c != nil {
			s.serve(c, t)
		}
		if t.opening {
			s.reopen(t)
		}
	}
}

// MaxName is how many bytes a tube's name has at most.
const MaxName = 200

// NameByte says which bytes a tube's name may have.
var NameByte = func() (ok [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+/;.$_()") {
		ok[b] = true
	}
	return ok
}()

// ValidName says whether a tube may have this name.
func ValidName(name []byte) bool {
	if len(name) == 0 || len(name) > MaxName || name[0] == '-' {
		return false
	}
	for _, b := range name {
		if !NameByte[b] {
			return false
		}
	}
	return true
}
