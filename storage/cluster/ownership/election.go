package ownership

import (
	"cmp"
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
	pause    = 300 * time.Millisecond // likewise, and up to twice that, after a candidacy that has come to nothing
	// of its engine and of others that a candidacy waits for, one after the other, at most
	answers   = 12
	doublings = 4                       // of all these, at most
	listen    = 1100 * time.Millisecond // before a new process votes: is there another of its name (package partition)?
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
}

// Config says which node of which cluster it is.
type Config struct {
	Cluster, Node, Version string
	Nodes                  []string // of version 0 of the members, in the order of placement; later the voters
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

// Self is what a node knows of itself. Whoever has its Election keeps that up to date.
type Self struct {
	Fault string        // what is wrong with the node as a whole, until its process ends
	Low   string        // what is wrong with a disk that is nearly full
	Waits time.Duration // how long an append has been under way
	At    Addresses
}

// Copy is what a node knows of its copy of a shard, and of the shard's lanes.
type Copy struct {
	Place, Durable uint64
	Problem        string        // why the node cannot own the shard
	Remark         string        // what is wrong with it though it may be the owner's: it is told, and no more
	Damaged        string        // it is in use until it is replaced: rather another node owns the shards
	Unread         bool          // there may be more on the lanes than this node has read
	Took           time.Duration // how long the engine takes to answer; 0: it has not answered yet
}

// Election is what one node knows and does about who owns the shards. It is not safe for concurrent
// use. Times are those of one clock, which only goes forward.
type Election struct {
	Config
	Self
	role    Role
	started time.Duration
	now     time.Duration
	shards  []shard
	peers   map[string]*peer
	strange map[string]strange // names whose messages were refused, until one is not
	members Members            // the newest that this node has heard of
	since   uint64             // as whom it promises (P17)

	// Who owns the shards.
	countedAs []uint64      // what the owner takes for durable here
	owner     string        // who sent the newest beat; empty: nobody is known
	vacant    time.Duration // from then on nobody owns them, as far as this node has heard
	agreed    time.Duration // since when a majority says so; 0: it does not
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
	proposed  uint64            // a version of the members that is being appended; 0: none

	nextBeat, nextHello time.Duration
	said                said // with the last hello
	closing             bool

	// As a voter.
	pending *Message // the beat that waits for its promise to be kept
	keeping int      // how many calls of Keep have not been answered
	drained bool
	left    Left

	lowUntil time.Duration // its disk is nearly full, or has been

	without without
}

// counted is what a node has said of its copies.
type counted struct {
	sent    time.Duration // the beat that it has answered
	durable []uint64
}

// shard is what an election knows of one.
type shard struct {
	Copy
	members  Members // by its log
	from     uint64  // the place that the copy had when the own ownership began
	role     lanes.Role
	stood    bool   // it has been a candidate since the node stood last
	epoch    uint64 // of the own ownership
	read     bool   // both lanes, to their ends, once
	voter    *lanes.Voter
	lease    *lanes.Lease
	shown    map[string]uint64 // lives of blank nodes that may be shown (P12)
	standing map[string]uint64 // those that were told before the node stood
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
		drained: c.Kept.Drained, left: c.Kept.Left, since: c.Kept.Since,
	}
	for _, name := range c.Nodes {
		s.members.Nodes = append(s.members.Nodes, Member{Name: name})
	}
	for i := range s.shards {
		s.shards[i].members = s.members
		s.shards[i].voter = lanes.NewBlank(c.Nonce, since)
		if i < len(c.Kept.Promised) && i < len(c.Kept.Known) && c.Kept.Known[i] {
			s.shards[i].voter = lanes.NewVoter(c.Kept.Promised[i], since)
		}
	}
	s.learn(s.members)
	return s
}

// Role is what the node does.
func (s *Election) Role() Role { return s.role }

// Copy is what the node knows of a shard's copy.
func (s *Election) Copy(i int) *Copy { return &s.shards[i].Copy }

// Tick does what is due. It is called several times during a Step.
func (s *Election) Tick(now time.Duration) {
	s.advance(now)
	defer s.finish()
	if s.Low != "" {
		s.lowUntil = now + lowFor
	}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.read = sh.read || !sh.Unread && sh.Took > 0
	}
	switch stood := now - s.stoodAt; {
	case s.role != Candidate && s.role != Elected:
	case stood >= s.patience(Limit):
		s.quit(ErrLate)
	// but its beats may keep others from standing
	case s.role == Elected && min(stood, now-s.woke) >= HelloEach && s.isolated():
		s.quit(ErrLease)
	}
	if why := cmp.Or(s.stranger(), s.broken()); why != "" {
		s.quit(fmt.Errorf("%w: %s", ErrUnfit, why))
	}
	s.unstick()
	s.retire()
	s.refresh()
	if s.role >= Elected && now >= s.nextBeat {
		s.beat()
	}
	s.purge()
	s.agree()
	if s.mayStand() == "" {
		s.stand()
	}
	if s.role == Candidate && now >= s.nextBeat {
		s.nextBeat, s.nextHello = now+BeatEach, now
	}
}

// advance notes the time. A lease that has lapsed ends a term before anything else happens.
func (s *Election) advance(now time.Duration) {
	slept := now-s.now > asleep
	s.now = max(s.now, now)
	switch {
	case s.role < Owner || s.now < s.until:
	case s.role == Owner && !s.serves && !s.without.lease:
		s.role, s.stoodAt = Elected, s.now // it has as long as a candidacy to get the lease back
		s.Logger.Warn("too few nodes have answered; this one goes on to prepare, and does not serve yet")
	default:
		s.lose(ErrLease)
	}
	if slept { // what it has not heard meanwhile means nothing
		s.woke = s.now
		s.vacant = max(s.vacant, s.now+Silence)
	}
}

// said is what others are told at once when it changes.
type said struct {
	role                     Role
	silent, drained, closing bool
	left                     uint64
	wrong                    string
}

// finish says hello, if something has changed, or it is time.
func (s *Election) finish() {
	s.agree()
	is := said{s.role, s.silent(), s.drained, s.closing, s.left.Serial, s.Fault + s.Low}
	for i := range s.shards {
		is.wrong += s.shards[i].Problem + s.shards[i].Remark + s.shards[i].Damaged
	}
	if is.role == Elected {
		is.role = Candidate
	}
	if is != s.said || s.now >= s.nextHello {
		s.said, s.nextHello = is, s.now+HelloEach
		s.Acts.Send(s.Message(Hello, ""))
	}
}

// Message begins a message to a node, or to all.
func (s *Election) Message(kind Kind, to string) *Message {
	return &Message{
		Version: Major, Kind: kind, Cluster: s.Cluster, From: s.Node, To: to, Nonce: s.Nonce, Report: s.Report(),
	}
}

// Receive takes a message.
func (s *Election) Receive(now time.Duration, m *Message) {
	s.advance(now)
	defer s.finish()
	if m.From == s.Node {
		return // a duplicate's: package partition
	}
	if m.Members != nil && m.Version == Major && m.Cluster == s.Cluster {
		s.learn(*m.Members)
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
	}
}
