package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

const (
	millisecond = int64(1e6)
	second      = int64(1e9)
)

// Margin is how long before a deadline its holder is told DEADLINE_SOON, in
// nanoseconds.
const Margin = second

// urgentBelow is the first priority that does not count as urgent.
const urgentBelow = 1024

// State is one shard's tubes, jobs and clients: a synchronous machine without
// clock, goroutine or I/O. Every rule of the queue lives here.
type State struct {
	Config // never changes

	restored   bool // the replay has ended
	discarding bool // a job is taken back that was restored
	restoring  bool // a job is put back

	inside, outside int64 // bytes of bodies in memory, and of those in the log only

	jobs   cells.Slab[job]
	rares  cells.Slab[rare]
	jobPos cells.Positions // of jobs in ready, delayed and TTR heaps (S4)
	index  index
	bodies cells.Bytes

	tubes    map[string]*tube
	tubeAt   cells.Numbered[*tube] // by slot
	timeline cells.Timeline        // tubes by their next delayed job or end of pause

	clients cells.Numbered[*Client] // by slot
	holders cells.Timeline          // clients by the first deadline they hold

	opening cells.Timeline // tubes whose pause has ended and that are not open yet, by best job

	freeWaits *waitEntry
	waiting   int                 // places in queues that are taken
	arrivals  uint64              // waits that have begun
	manyWaits cells.Line[*Client] // clients of many tubes that wait
	seekers   []*Client           // whose search takes several turns
	ended     []*Client           // whose wait may have ended elsewhere

	share int   // what is left of this turn's
	now   int64 // the shard's clock, as the latest call has told it

	items // what the queue service adds

	policies policies
	lines    roomLines    // in which puts wait for room (policy_full.go)
	closed   bool         // none waits any more
	quota    policy.Quota // for all shards; nil if the server has no limits (policy_full.go)

	tagIndexes *tagIndexes // for reserves that ask for tags; nil while nobody does
	extra      *extras     // what puts with options need; nil until there is one
	travel     travel

	yard graveyard // jobs that purges have ended

	notes map[string][]storage.Note // of tubes, also of some that do not exist

	totals        Sums
	dead          uint64          // dead letters
	counters      policy.Counters // of policies
	buryRank      uint64
	quarantined   map[uint32]bool    // buried jobs whose bodies cannot be read, by slot
	record        storage.Job        // scratch for the log
	recordOptions storage.PutOptions // likewise
	recordKeys    storage.Keys       // likewise
	part          [1][]byte          // likewise
	lanes         lanes              // scratch for offers
	slots         []uint32           // scratch for lists

	// Woken lists the waiters that were given a job since the caller last
	// emptied it; they may be told when the log has what they saw.
	Woken []Awakening
	// Gone lists the jobs that were deleted since then; the directory may
	// forget them when the log has what deleted them.
	Gone []uint64
	// Leaves says that jobs wait to be taken to other shards; somebody may begin when the log has it.
	Leaves bool
}

// NewState makes an empty shard.
func NewState(c Config) *State {
	s := &State{
		Config: c,
		jobs:   cells.NewSlab[job](), rares: cells.NewSlab[rare](), travel: newTravel(), items: newItems(),
		index: newIndex(), bodies: cells.NewBytes(),
		tubes: map[string]*tube{}, quarantined: map[uint32]bool{},
		notes: map[string][]storage.Note{},
	}
	if s.Many == 0 {
		s.Many = usualMany
	}
	if s.Share == 0 {
		s.Share = Slice * moving
	}
	s.renew()
	s.policies.of = c.PolicyFor
	if c.Pinned != "" {
		s.tubeNamed([]byte(c.Pinned))
	}
	return s
}

// Apply runs one operation of b. It answers in the operation itself, in b's
// buffers, and in b.Soonest.
func (s *State) Apply(now int64, b *Batch, op *Op) {
	s.now, s.lines.again = now, true
	op.Status = operations[op.Kind](s, b, op)
	b.Soonest = b.Client.soonest()
}

var operations = [...]func(s *State, b *Batch, op *Op) Status{
	Put: (*State).put, PutAll: (*State).putAll, PutTick: (*State).putTick, NoteTick: (*State).markTick,

	Reserve: (*State).reserve, ReserveJob: (*State).reserveJob, ReserveSeveral: (*State).reserveSeveral,
	Offer: (*State).offer, OfferSeveral: (*State).offerSeveral, Claim: (*State).claim,
	ClaimSeveral: (*State).reserveSeveral, Wait: (*State).waitFor, Withdraw: (*State).withdraw,
	Soonest: (*State).askSoonest,

	Delete: (*State).delete, Release: (*State).release, Bury: (*State).bury, Touch: (*State).touch,
	Kick: (*State).kick, KickJob: (*State).kickJob, Quarantine: (*State).quarantine,
	DeleteSeveral: (*State).doSeveral, ReleaseSeveral: (*State).doSeveral, BurySeveral: (*State).doSeveral,
	TouchSeveral: (*State).doSeveral, AlterSeveral: (*State).doSeveral, Truncate: (*State).truncate,

	Peek: (*State).peek, PeekReady: (*State).peek, PeekDelayed: (*State).peek, PeekBuried: (*State).peek,
	StatsJob: (*State).statsJob, StatsTube: (*State).statsTube, Totals: (*State).countTotals, List: (*State).list,

	Use: (*State).use, Unuse: (*State).use, Watch: (*State).beginWatch, Ignore: (*State).endWatch,
	Detach: (*State).detach, Pause: (*State).pause, KeepPolicies: (*State).keepPolicies,

	Load: (*State).loadLeaving, Arrive: (*State).arrive, Depart: (*State).departOne, Show: (*State).showArrived,
	ComeHome: (*State).comeHome, Service: (*State).ask,
}

// Directory is told of tubes and jobs that come and go, so that the router can
// find them. The goroutine that runs the shard calls its methods. JobGone, for a
// deleted job, is also called by the goroutine that answers a turn, which may be
// another one.
type Directory interface {
	TubeBorn(name string)
	TubeGone(name string)
	// JobBorn is asked about every put: the answer is the job's id, allotted
	// now if the put came without one, or false if no jobs are taken any more.
	JobBorn(id uint64) (uint64, bool)
	JobGone(id uint64)
	// Spare allots an id that no job gets, also while no jobs are taken.
	Spare() uint64
	// JobsLeave is told when the log has it that there are jobs for other shards (Load).
	JobsLeave()
}

// Config is what a State is made with.
type Config struct {
	Directory Directory
	Log       storage.Log
	// Durable is false when the log keeps nothing, so that describing each
	// change to it can be left out.
	Durable bool
	// Budget is how many bytes of bodies are kept in memory, if the log can
	// give them back; 0 for no limit.
	Budget int64
	// Pinned names the tube that exists even without a reason, if this is
	// its shard.
	Pinned string
	// Ended appends the clients whose wait in this shard may have ended
	// elsewhere since it was last called; nil if that cannot be.
	Ended func([]*Client) []*Client
	// Many is how many tubes a client may watch here before it is one of many
	// tubes (manytubes.go); 0 for the default, which only tests change.
	Many int
	// PolicyFor is the policy for a tube, nil for none; nil if there are no policies. SetPolicies
	// brings others.
	PolicyFor func(tube string) *policy.Policy
	// Local says whether a tube is in this shard; nil if all are.
	Local func(tube string) bool
	// Share bounds the long work of one turn (tick.go); 0 for the default.
	Share int
	// LeastPurge is how many jobs a purge must end to end them at once (bulk_grave.go), and PurgeShare what of a
	// turn is for emptying graves; 0 for the defaults. Only tests change these: with a negative share no turn begins
	// for that, and others have one less than its amount for it.
	LeastPurge, PurgeShare int
	// Secret are numbers that nobody outside knows, so that nobody can choose keys that all stand in
	// one place of the table of keys.
	Secret [3]uint64
	// Epoch is the wall clock, in nanoseconds since 1970, at moment 0 of the
	// clock that Apply and Tick are given.
	Epoch int64
}

// Sound looks for what would have a client wait for ever, and for jobs and tubes that are there for nobody, and
// reports the first broken invariant by its number in doc.go. It is for the tests of those who run queues; the tests of
// this package walk all that there is after every step (Check).
func (s *State) Sound() error {
	defer func(share int) { s.share = share }(s.share) // to look is no work of the turn's
	waits, jobs := s.manyWaits.N+s.inLines(), s.yard.jobs
	sums := Sums{Damaged: s.totals.Damaged, Timeouts: s.totals.Timeouts, Total: s.totals.Total}
	for name, t := range s.tubes {
		if !s.needed(t) && (t.policy == nil || !t.policy.rate.Lingers()) {
			return fmt.Errorf("S5: tube %q has no reason to exist", name)
		}
		if s.firstWaiter(t, s.sought()) != nil && t.offers() {
			return fmt.Errorf("S6: tube %q has waiters and ready jobs", name)
		}
		waits += t.waiters.N
		jobs += t.length() + t.transit
		t.addTo(&sums)
	}
	for _, v := range s.sought() {
		waits += v.line.N
	}
	for _, c := range s.seekers {
		if err := s.checkSearch(c); err != nil {
			return err
		}
	}
	switch {
	case waits != s.waiting:
		return fmt.Errorf("S3: %d places in queues counted, %d found", s.waiting, waits)
	case jobs != int(s.index.N):
		return fmt.Errorf("S1: %d jobs are indexed, tubes have %d", s.index.N, jobs)
	case sums != s.totals:
		return fmt.Errorf("S3: totals are %+v, tubes have %+v", s.totals, sums)
	}
	return nil
}

// checkSearch looks for tubes that a search would miss.
func (s *State) checkSearch(c *Client) error {
	w := c.many
	if !w.seeking || s.manyWaits.In(&w.inLine) || w.seen+w.again > w.tubes.N {
		return fmt.Errorf("S7: a client is not in the middle of a search")
	}
	for i := range w.tubes.N {
		t := w.tubes.Get(i)
		if w.place[t.slot] != i {
			return fmt.Errorf("S4: tube %q stands in another place of a client's", t.name)
		}
		if i >= w.seen || !c.offered(t) {
			continue
		}
		// The order is promised only while nobody takes the best job.
		if w.hasty || w.best == nil || !w.unsure && s.intact(c) && c.fair == nil && !t.isAging() && !w.best.isAging() &&
			c.fitting(t).Top().Before(c.fitting(w.best).Top()) {
			return fmt.Errorf("S7: a search misses tube %q", t.name)
		}
	}
	return nil
}

// Waits counts the places that clients take in queues, for tests that look
// for stale ones (R3).
func (s *State) Waits() int { return s.waiting }
