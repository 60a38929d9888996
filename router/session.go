package router

import (
	"math"
	"sync/atomic"

	"beanfield/shard/queue"
	"beanfield/storage/pace"
)

// Owner is who runs a session: one goroutine at a time, which Notify makes
// come back and call Resume. Notify may be called from any goroutine, more
// often than needed.
type Owner interface{ Notify() }

// Session is one connection's part of the router: the tube it uses, the tubes
// it watches, its place in each shard, and its wait.
//
// Its calls report true when they are complete. A call that reports false is
// under way: the owner makes no other until Resume has reported true. At any
// time at most one batch of a session is in a mailbox, which keeps the order
// of its commands (C1).
type Session struct {
	r     *Router
	owner Owner
	gate  gate
	refs  []*ref // by shard; nil where the session has never been
	live  []*ref

	used       string
	usedRef    *ref
	watched    nameSet
	hidden     *nameSet // of these, those that no shard knows of (Review); nil if none
	watchShard int      // the one shard of all watched tubes that are not hidden, or -1
	contender

	script script
	after  func(*Session) bool // goes on when the script has ended
	// resting is what Resume goes on with after a call has let others in.
	resting func(*Session) bool

	// answered is set when a batch that was not answered at once is complete,
	// woken when a job is delivered.
	answered, woken atomic.Bool
	underway        *queue.Batch
	underwayIn      int // its shard

	// Later says that the owner pushes the log of a call that is under way (Router.Push).
	Later     bool
	waiting   bool
	delivery  queue.Delivery // written by the shard that has claimed the gate
	deliverer *ref
	lost      bool   // the delivery cannot be sent
	small     []byte // its body, copied (B4)

	// Reservation is the answer of Reserve, EndWait and ReserveJob.
	Reservation Reservation
	Sums        *queue.Sums // the answer of CountAll, until Trim
	Several     *Several    // nil but for a reserve of several jobs, until Trim
	Listing     *Listing    // likewise for a list of jobs
	Puts        *Puts       // nil but for PutMany, until Trim
}

// Reservation is how a reserve ended.
type Reservation struct {
	Status queue.Status // OK, TimedOut, DeadlineSoon, Failed
	ID     uint64
	Size   uint32
	Small  []byte
	Large  [][]byte
}

// ref is a session's place in one shard.
type ref struct {
	s        *Session
	shard    int
	watching int
	soonest  int64 // lower bound of the first deadline held there, 0 for none
	asked    bool  // registered there by the wait that is on
	client   queue.Client

	leaves atomic.Bool // it is among its shard's leavers
	leaver *ref        // the next of these
}

// Init makes the session ready for Open. waits counts its waits, among others'.
func (s *Session) Init(r *Router, owner Owner, waits *atomic.Int64) {
	s.r, s.owner, s.gate.waits = r, owner, waits
	s.refs = make([]*ref, len(r.shards))
}

// Open takes the session's place in the default tube.
func (s *Session) Open() bool {
	s.used = DefaultTube
	s.watched.add(DefaultTube)
	s.usedRef = s.ref(s.r.TubeShard([]byte(DefaultTube)))
	s.usedRef.watching++
	s.watchShard = s.usedRef.shard
	s.script.begin()
	s.script.addName(s.usedRef.shard, queue.Use, s.used)
	s.script.addName(s.usedRef.shard, queue.Watch, s.used)
	return s.play(nil)
}

// ref returns the session's place in a shard, making it on first use.
func (s *Session) ref(i int) *ref {
	f := s.refs[i]
	if f == nil {
		f = &ref{s: s, shard: i}
		f.client.Waiter = f
		s.refs[i] = f
		s.live = append(s.live, f)
	}
	return f
}

// Used is the name of the tube in use.
func (s *Session) Used() string { return s.used }

// Watching is how many tubes are watched.
func (s *Session) Watching() int { return s.watched.count }

// Watched are their names, in the order of list-tubes-watched.
func (s *Session) Watched() Names { return s.watched.snapshot() }

// SomeWatched are at most n of them.
func (s *Session) SomeWatched(n int) []string {
	list := make([]string, min(n, s.watched.count))
	for i := range list {
		list[i] = s.watched.at(i)
	}
	return list
}

// UsedShard is the shard of the tube in use.
func (s *Session) UsedShard() int { return s.usedRef.shard }

// NewID allots an id to a job whose body is yet to come, and which may be put
// much later. Others get theirs when their put is applied.
func (s *Session) NewID() uint64 { return s.NewIDIn(s.usedRef.shard) }

// NewIDIn is NewID for a job of another shard than that of the tube in use.
func (s *Session) NewIDIn(i int) uint64 { return s.r.ids.begin(i) }

// Submit runs a batch on one shard. member says that the batch needs the
// session's place there; a session that has none otherwise stays unknown.
func (s *Session) Submit(i int, b *queue.Batch, member bool) bool {
	if f := s.refs[i]; f != nil {
		b.Client = &f.client
	} else if member {
		b.Client = &s.ref(i).client
	}
	b.Done, b.Later, b.FairScheduler = s, s.Later, s.fairIn(i)
	s.underway, s.underwayIn = b, i
	if !s.r.shards[i].Submit(b) {
		return false
	}
	s.absorb()
	return true
}

// absorb takes note of what a finished batch says of the session.
func (s *Session) absorb() {
	if f := s.refs[s.underwayIn]; f != nil {
		f.soonest = s.underway.Soonest
	}
	s.underway = nil
}

// Times are when the last batch of a script of several operations was first applied, and when
// it was given to the log, by the router's clock; 0 for what has not been.
func (s *Session) Times() (began, ended int64) { return s.script.batch.Began, s.script.batch.Ended }

// Underway is the shard that the call under way waits for.
func (s *Session) Underway() int { return s.underwayIn }

// Complete is how a shard says that a batch has been answered.
func (s *Session) Complete(*queue.Batch) {
	s.answered.Store(true)
	s.owner.Notify()
}

// Resume goes on with the call that is under way, and reports whether it is
// complete now. It may be called at any time.
func (s *Session) Resume() bool {
	if next := s.resting; next != nil {
		s.resting = nil
		return next(s)
	}
	if s.underway == nil {
		return true
	}
	if !s.answered.Load() {
		return false
	}
	s.answered.Store(false)
	s.absorb()
	if v := s.Puts; v != nil && v.next < len(v.parts) {
		return s.putOn()
	}
	if !s.script.on {
		return true
	}
	s.script.collect(s)
	return s.playOn()
}

// rest ends a long call for now. The owner serves others before it comes back.
func (s *Session) rest(next func(*Session) bool) bool {
	s.resting = next
	s.owner.Notify()
	return false
}

// Soonest is a lower bound of the first deadline that the session holds, or
// MaxInt64.
func (s *Session) Soonest() int64 {
	soonest := int64(math.MaxInt64)
	for _, f := range s.live {
		if f.soonest != 0 && f.soonest < soonest {
			soonest = f.soonest
		}
	}
	return soonest
}

// ref is the session's Waiter in its shard.

// Arm implements queue.Waiter.
func (f *ref) Arm() uint64 { return f.s.gate.arm() }

// Waits implements queue.Waiter.
func (f *ref) Waits(ticket uint64) bool { return f.s.gate.holds(ticket) }

// Claim implements queue.Waiter.
func (f *ref) Claim(ticket uint64) bool { return f.s.endWait(ticket, f) }

// endWait ends the wait with that ticket, if it is on. in is where the job comes
// from; nil if there is none. The session's other places are leavers before
// anybody can see that the wait is over.
func (s *Session) endWait(ticket uint64, in *ref) bool {
	if !s.gate.claim(ticket) {
		return false
	}
	for _, f := range s.live {
		if f != in && f.asked {
			s.r.leavers[f.shard].add(f)
		}
	}
	s.gate.out()
	return true
}

// cancel ends the latest wait, if it is still on.
func (s *Session) cancel() bool { return s.gate.last != 0 && s.endWait(s.gate.last, nil) }

// Deliver implements queue.Waiter. It keeps a copy of a small body, whose
// memory the shard may use again.
func (f *ref) Deliver(d queue.Delivery) {
	s := f.s
	s.small = append(s.small[:0], d.Small...)
	d.Small = s.small
	s.delivery, s.deliverer = d, f
}

// Wake implements queue.Waiter.
func (f *ref) Wake(ok bool, body []byte) {
	if f.s.lost = !ok; ok && f.s.delivery.Away {
		f.s.delivery.Large = [][]byte{body}
	}
	f.s.woken.Store(true)
	f.s.owner.Notify()
}

// Aside has another goroutine do work that may wait, as a call of the session.
func (s *Session) Aside(work func()) bool {
	s.underway, s.underwayIn = &queue.Batch{Soonest: s.usedRef.soonest}, s.usedRef.shard
	go func() {
		work()
		s.Complete(nil)
	}()
	pace.Woke()
	return false
}
