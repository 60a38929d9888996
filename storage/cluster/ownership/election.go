package ownership

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"beanfield/storage/lanes"
)

// The times of a cluster.
const (
	BeatEach  = 200 * time.Millisecond
	HelloEach = 500 * time.Millisecond
	Silence   = 1400 * time.Millisecond // without a beat, until somebody stands
	Living    = 1400 * time.Millisecond // without any message, until a node is taken for dead
	Step      = 150 * time.Millisecond  // each node waits so much longer than the one before it in the order
	// of a candidacy, if answers come at once and none has failed (see patience): it takes a tenth of that
	Limit    = 2 * time.Second
	postpone = 600 * time.Millisecond // of others, while somebody stands
	pause    = 300 * time.Millisecond // and up to twice that, after a candidacy that has come to nothing
	// of its engine and of others that a candidacy waits for, one after the other, at most
	answers   = 12
	doublings = 4                       // of all these, at most
	listen    = 1100 * time.Millisecond // before a new process votes: is there another one of its name?
	asleep    = time.Second             // between two events: the process did not run
	desperate = 5 * time.Second         // after this silence somebody stands that has not caught up
	slack     = 1000                    // records that a node may lack and still has caught up
	// an owner that cannot append hands over, later than the engine has chosen leaders; after twice that its term is
	// over
	stuck = 12 * time.Second
)

// Role is what a node does for all shards.
type Role int

// An elected node owns the shards in the lanes, and waits for its lease. One that is leaving goes
// on until the server has stopped.
const (
	Follower Role = iota
	Candidate
	Elected
	Owner
	Leaving
)

func (r Role) String() string {
	return [...]string{"follower", "candidate", "candidate", "owner", "leaving"}[r]
}

// Acts are what an Election has done. They must not wait, and not call the Election.
type Acts interface {
	Send(m *Message)          // to one node, or to all others
	Stand()                   // for all shards; Changed tells what comes of it
	Resign()                  // for all shards
	Keep(k Kept)              // where no crash takes it; then Kept is called, in the order of the calls
	Begin(epochs []uint64)    // a term
	Hold(until time.Duration) // the term holds until then; it follows Begin, and comes again and again
	Leave()                   // the server is to stop in order, and to call End
	Lose(why error)           // the term is over at once; the server is to call End when it has seen to that
	Purge(least []uint64)     // the lanes, up to these numbers
	Order(m *Message)         // an operator's, which came by another node: it is to be obeyed, and answered
}

// Config says which node of which cluster it is.
type Config struct {
	Cluster, Node, Version string
	Nodes                  []string // all, in the order of placement
	Shards                 int
	Nonce                  uint64 // of this process; not 0
	Kept                   Kept   // by earlier processes
	// from when on this process has heard the others, and none of them beat; 0: now (K7: the node's former process had
	// ended)
	Since time.Duration
	// for how long a node must have been well to get the shards, if it comes before the owner; 0: it does not
	Prefer time.Duration
	Random *rand.Rand
	Acts   Acts
	Logger *slog.Logger
}

// Election is what one node knows and does about who owns the shards. It is not safe for concurrent
// use. Times are those of one clock, which only goes forward.
type Election struct {
	Config
	role    Role
	started time.Duration
	now     time.Duration
	shards  []shard
	peers   map[string]*peer
	twin    twin
	strange map[string]strange // names whose messages were refused, until one is not

	// Who owns the shards.
	countedAs []uint64      // what the owner takes for durable here
	owner     string        // who sent the newest beat; empty: nobody is known
	vacant    time.Duration // from then on nobody owns them, as far as this node has heard
	told      bool          // the others know that it has been so
	stoodAt   time.Duration
	woke      time.Duration // when its process had last not run for a while
	retry     time.Duration // not before
	failures  int           // candidacies that have come to nothing since somebody owned the shards
	latest    string        // who was the owner last, or is to be it
	falls     map[string]falls

	// As an owner.
	until     time.Duration // the lease's end
	open      bool          // the server has a term, and has not ended it
	serves    bool          // it may have answered somebody in it
	epochs    []uint64      // of that term
	target    string        // who is to own the shards next; empty: whoever is best
	pinned    bool          // an operator has chosen this node
	moved     bool          // and now another one
	unwell    bool          // it cannot go on
	counted   map[string]counted
	purged    []uint64
	purgeNext time.Duration
	lives     map[string]uint64 // of blank nodes, as they have told
	over      []uint64          // epochs that have ended, as far as this node knows

	nextBeat, nextHello time.Duration
	dirty               bool // a hello is due at once
	closing             bool

	// As a voter.
	pending *Message // the beat that waits for its promise to be kept
	keeping int      // how many calls of Keep have not been answered
	drained bool
	left    Left

	waits time.Duration // how long an append has been under way
	fault string        // what is wrong with the whole node
	low   string        // its disk is nearly full

	lowUntil time.Duration // or has been

	without without
}

// counted is what a node has said of its copies.
type counted struct {
	sent    time.Duration // the beat that it has answered
	durable []uint64
}

// shard is what an election knows of one.
type shard struct {
	role           lanes.Role
	stood          bool   // it has been a candidate since the node stood last
	epoch          uint64 // of the own ownership
	place, durable uint64
	problem        string
	remark         string // see Remark
	damaged        string // see Damaged
	unread         bool
	read           bool // both lanes, to their ends, once
	took           time.Duration
	voter          *lanes.Voter
	lease          *lanes.Lease
	shown          map[string]uint64 // lives of blank nodes that may be shown (P12)
	standing       map[string]uint64 // those that were told before the node stood
}

// New is the election of a process that starts now.
func New(c Config, now time.Duration) *Election {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	since := now
	if c.Since != 0 {
		since = c.Since
	}
	s := &Election{
		Config: c, started: since, now: now, shards: make([]shard, c.Shards), peers: map[string]*peer{},
		strange: map[string]strange{},
		vacant:  max(since+Silence, now+2*BeatEach), // an owner may be there, or the others may have just come, too
		lives:   map[string]uint64{}, falls: map[string]falls{}, over: make([]uint64, c.Shards),
		drained: c.Kept.Drained, left: c.Kept.Left,
	}
	for _, name := range c.Nodes {
		if name != c.Node {
			s.peers[name] = &peer{heard: now - Living}
		}
	}
	for i := range s.shards {
		s.shards[i].voter = lanes.NewBlank(c.Nonce, since)
		if i < len(c.Kept.Promised) && i < len(c.Kept.Known) && c.Kept.Known[i] {
			s.shards[i].voter = lanes.NewVoter(c.Kept.Promised[i], since)
		}
	}
	return s
}

// Role is what the node does.
func (s *Election) Role() Role { return s.role }

// Copy tells how far a shard's copy is, and why the node cannot own the shard, if that is so.
func (s *Election) Copy(i int, place, durable uint64, problem string) {
	s.dirty = s.dirty || problem != s.shards[i].problem
	s.shards[i].place, s.shards[i].durable, s.shards[i].problem = place, durable, problem
}

// Lanes tells whether there may be more on a shard's lanes than this node has read, and how long the engine takes to
// answer; 0: it has not answered yet.
func (s *Election) Lanes(i int, unread bool, took time.Duration) {
	sh := &s.shards[i]
	sh.unread, sh.took = unread, took
	sh.read = sh.read || !unread && took > 0
}

// Remark is what is wrong with a copy that may be one of the owner's all the same: it is told, and
// no more.
func (s *Election) Remark(i int, remark string) {
	s.dirty = s.dirty || remark != s.shards[i].remark
	s.shards[i].remark = remark
}

// Damaged is what is wrong with a copy that is damaged, and in use until it is replaced: rather another node owns the
// shards, and has its copy fetched.
func (s *Election) Damaged(i int, why string) {
	s.dirty = s.dirty || why != s.shards[i].damaged
	s.shards[i].damaged = why
}

// Tick does what is due. It is called several times during a Step.
func (s *Election) Tick(now time.Duration) {
	s.advance(now)
	defer s.finish()
	switch stood := now - s.stoodAt; {
	case s.role != Candidate && s.role != Elected:
	case stood >= s.patience(Limit):
		s.giveUp(ErrLate)
	// but its beats may keep others from standing
	case s.role == Elected && min(stood, now-s.woke) >= HelloEach && s.isolated():
		s.giveUp(ErrLease)
	}
	if why := s.broken(); why != "" && s.role >= Owner {
		s.lose(fmt.Errorf("%w: %s", ErrUnfit, why))
	} else if why != "" && s.role >= Candidate {
		s.giveUp(fmt.Errorf("%w: %s", ErrUnfit, why))
	}
	s.unstick()
	s.retire()
	s.refresh()
	if s.role >= Elected && now >= s.nextBeat {
		s.beat()
	}
	s.purge()
	if silent := s.silent(); silent != s.told {
		s.told, s.dirty = silent, true
	}
	if s.mayStand() == "" {
		s.stand()
	}
	if s.role == Candidate && now >= s.nextBeat {
		s.nextBeat, s.dirty = now+BeatEach, true
	}
	s.dirty = s.dirty || now >= s.nextHello
}

// advance notes the time. A lease that has lapsed ends a term before anything else happens.
func (s *Election) advance(now time.Duration) {
	slept := now-s.now > asleep
	s.now = max(s.now, now)
	switch {
	case s.role < Owner || s.now < s.until:
	case s.role == Owner && !s.serves && !s.without.lease:
		s.role, s.stoodAt, s.dirty = Elected, s.now, true // it has as long as a candidacy to get the lease back
		s.Logger.Warn("too few nodes have answered; this one goes on to prepare, and does not serve yet")
	default:
		s.lose(ErrLease)
	}
	if slept { // what it has not heard meanwhile means nothing
		s.woke = s.now
		s.vacant = max(s.vacant, s.now+Silence)
	}
}

// finish says hello, if something has changed, or it is time.
func (s *Election) finish() {
	if s.dirty {
		s.dirty, s.nextHello = false, s.now+HelloEach
		s.Acts.Send(s.Message(Hello, ""))
	}
}

// Message begins a message to a node, or to all.
func (s *Election) Message(kind Kind, to string) *Message {
	return &Message{
		Version: Major, Kind: kind, Cluster: s.Cluster, From: s.Node, To: to, Nonce: s.Nonce, Age: s.now - s.started,
		Report: s.Report(),
	}
}

// Receive takes a message.
func (s *Election) Receive(now time.Duration, m *Message) {
	s.advance(now)
	defer s.finish()
	if m.From == s.Node {
		s.meet(m)
		return
	}
	p := s.peers[m.From]
	if why := s.refuse(m, p); why != "" {
		s.refused(m, why)
		return
	}
	if m.To != "" && m.To != s.Node {
		return
	}
	s.hear(p, m)
	switch m.Kind {
	case Beat:
		s.beaten(m)
	case Answer:
		s.answered(m)
	case Ended:
		s.ended(m)
	case Order:
		s.Acts.Order(m)
	}
}
