package shard

// JobState is where a job stands (S1).
type JobState uint8

// The four places of a job.
const (
	Ready JobState = iota + 1
	Delayed
	Reserved
	Buried
)

func (s JobState) String() string {
	switch s {
	case Ready:
		return "ready"
	case Delayed:
		return "delayed"
	case Reserved:
		return "reserved"
	case Buried:
		return "buried"
	}
	return "invalid"
}

// job is the record of one job. It has no pointers, and only what a job needs
// that waits in a ready heap; the rest is in its trail.
type job struct {
	id      uint64
	created int64 // on the shard's clock; before its start if replayed
	body    uint32
	size    uint32
	pri     uint32
	delay   uint32 // seconds, as put or release last gave it
	ttr     uint32 // seconds
	tube    uint32 // slot
	trail   uint32 // slot, 0 until the job leaves the plain way from put to ready
	chain   uint32 // index: next in the bucket
	state   JobState
	away    bool // the body is in the log only
	updated bool // the log has a second record of it
}

// trail is what a job gathers on its way: a deadline and neighbours while it
// is delayed, reserved or buried, and the counters of stats-job.
type trail struct {
	deadline int64
	rank     uint64 // buried: order over restarts
	prev     uint32 // in the holder's or the tube's buried list
	next     uint32
	holder   uint32 // client slot while reserved
	reserves uint32
	timeouts uint32
	releases uint32
	buries   uint32
	kicks    uint32
}

// trailOf returns the job's trail, making one if there is none.
func (s *State) trailOf(j *job) *trail {
	if j.trail == 0 {
		j.trail = s.trails.alloc()
	}
	return s.trails.at(j.trail)
}

// list is a doubly linked list of jobs through their trails.
type list struct {
	head, tail uint32
	n          int
}

func (s *State) listAppend(l *list, slot uint32) {
	t := s.trailOf(s.jobs.at(slot))
	t.prev, t.next = l.tail, 0
	if l.tail == 0 {
		l.head = slot
	} else {
		s.trailOf(s.jobs.at(l.tail)).next = slot
	}
	l.tail = slot
	l.n++
}

func (s *State) listRemove(l *list, slot uint32) {
	t := s.trailOf(s.jobs.at(slot))
	if t.prev == 0 {
		l.head = t.next
	} else {
		s.trailOf(s.jobs.at(t.prev)).next = t.next
	}
	if t.next == 0 {
		l.tail = t.prev
	} else {
		s.trailOf(s.jobs.at(t.next)).prev = t.prev
	}
	t.prev, t.next = 0, 0
	l.n--
}
