package lanes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// resident is what a node of a town is beside its log.
type resident struct {
	up    bool
	name  int              // as which it runs; -1: it is not there
	since uint64           // as whom it has promised something (P17)
	kept  uint64           // likewise, in the file
	boot  int              // how often it has started
	still time.Duration    // it does nothing until then
	cut   [5]time.Duration // what it says to others is lost until then
	waits [2]waiting
	clock
	voter    *Voter
	promises uint64 // the file with what its voter has promised; 0 if there is none
	told     uint64 // the newest epoch that is known to have ended

	lease   *Lease
	epoch   uint64 // of the lease
	beaten  time.Duration
	former  time.Duration   // until when the voters have granted it that do not count any more
	owned   time.Duration   // since when
	from    uint64          // the place that it had then
	held    map[uint64]bool // the jobs that clients have
	removes uint64          // the job that is being removed

	made, stood, turned, proved int // what it has begun to append; its epoch, its turns, what was acknowledged
	heard                       map[int]heard
	counted                     map[int]time.Duration // when the beat was sent whose answer counts

	given map[int]given // the checkpoints that are on their way to others

	asks   int               // its request for a checkpoint that it waits for
	offers map[string]uint64 // of it, by owners
	giver  string            // the owner whose checkpoint its copy was
	most   uint64            // the highest number that has been durable in one of its copies
}

// waiting is for the engine's answer on a lane.
type waiting struct {
	request uint64
	since   time.Duration
}

// given is a checkpoint that answers a request.
type given struct {
	request int
	store   *copyOf
}

// heard is the life of a blank voter, and what had been begun to append when that was heard.
type heard struct {
	life uint64
	made int
}

// town is a world whose nodes have clocks, and speak to each other over a network that loses,
// doubles and delays. A node's owner and its log are one: who owns the shard beats, hands out jobs
// and writes while it has a lease, and ends its epoch, or is overtaken.
type town struct {
	*world
	r        *rand.Rand
	mix      []int // customs, as often as they may happen
	now      time.Duration
	people   []*resident
	moves    bool      // members come and go
	meant    [5]int    // whose each name is now
	founded  *version  // version 0
	last     *version  // the newest that somebody has taken
	gonePast [2]int    // what of each lane was purged when that was looked at last
	away     *resident // that one does not come back
	notes    []*note
	lives    uint64
	requests int
	newest   uint64        // the epoch of the last lease
	heldAt   time.Duration // when somebody had one
	stood    time.Duration // when somebody stood
	rough    bool          // disks are lost
	holders  int           // how many epochs had one
	handed   int
	handOver int // epochs that had a lease sooner than a Rest after the one before
	ended    time.Duration
	gone     map[uint64]bool // jobs whose removal has been acknowledged
	lost     int             // disks
	wanting  wanting
}

// wanting is what is left out of the rules.
type wanting struct {
	rest     bool // P10: a new owner waits for nobody's answers
	hears    bool // P10: an answer counts from when it comes
	eager    bool // P10: a voter answers before its promise is kept
	mixes    bool // P10: an answer counts for any epoch
	writes   bool // P10: an owner without a lease writes
	early    bool // P11: it is said before the end
	any      bool // P11: whatever ends, the epoch that was promised has ended
	blank    bool // P12: a voter without promises answers everybody
	shown    bool // P12: what had been begun before shows a life, too
	stale    bool // P12: any life is shown
	asks     bool // P12: a candidate beats
	late     bool // P8: an answer counts, however old
	majority bool // P8: copies that are being made are of the majority
	base     bool // P8: a store without what was imported is a copy
	former   bool // P13: what former voters have granted counts on
	copies   bool // P16: voters need no copies
	places   bool // P16: a copy counts before it is durable
	free     bool // P16: an owner purges while it appends a version
	names    bool // P17: whoever has a voter's name is this voter
}

func newTown(seed uint64, set func(*town)) *town {
	t := &town{world: newWorld(3), r: rand.New(rand.NewPCG(seed, 3)), gone: map[uint64]bool{}, founded: founders(3)}
	if set != nil {
		set(t)
	}
	for t.moves && len(t.nodes) < 5 {
		t.nodes = append(t.nodes, &member{store: copyOf{origin0, origin0}})
	}
	t.last, t.meant = t.founded, [5]int{0, 1, 2, 3, 4}
	t.rough = t.r.IntN(3) == 0
	t.on = hooks{t.own, t.tell, t.decided}
	if seed%2 == 1 {
		t.base = base
		t.states[base] = contents{}
	}
	for i, n := range t.nodes {
		t.people = append(t.people, &resident{clock: clock{time.Duration(t.r.Int64N(int64(time.Hour))),
			0.98 + 0.04*t.r.Float64()}, name: i})
		if i >= len(t.founded.nodes) {
			t.people[i].name = -1
			continue
		}
		if i > 0 || t.r.IntN(2) == 0 { // or this one is new
			n.store.now.Hash, n.store.durable.Hash = t.base, t.base
		}
		t.up(i)
	}
	t.weigh()
	return t
}

// weigh has some events come more often than others, in each schedule other ones: what is rare in
// all of them would hardly meet.
func (t *town) weigh() {
	for k, c := range customs {
		if c.moves && !t.moves {
			continue
		}
		for range c.weight * []int{0, 1, 1, 1, 5}[t.r.IntN(5)] {
			t.mix = append(t.mix, k)
		}
	}
}

// message delivers one that is under way. Most come in order; some are lost, some come twice.
func (t *town) message() {
	if len(t.messages) == 0 {
		return
	}
	k := 0
	if t.r.IntN(3) == 0 {
		k = t.r.IntN(len(t.messages))
	}
	if m := &t.messages[k]; m.answer && t.people[m.from].still > t.now {
		return
	}
	switch t.r.IntN(20) {
	case 0:
		t.messages = append(t.messages[:k:k], t.messages[k+1:]...)
	case 1:
		t.messages = append(t.messages, t.messages[k])
		fallthrough
	default:
		miss := 0
		if t.r.IntN(4) == 0 {
			miss = []int{1, 2, 100}[t.r.IntN(3)]
		}
		t.deliver(k, miss)
	}
}

// up starts a node.
func (t *town) up(i int) {
	p := t.people[i]
	p.up = true
	p.boot++
	p.heard, p.asks, p.offers = map[int]heard{}, 0, nil
	now := p.at(t.now)
	if p.since = p.kept; p.promises > 0 || t.wanting.blank {
		p.voter = NewVoter(p.promises, now)
	} else {
		t.lives++
		p.voter = NewBlank(t.lives, now)
	}
	t.open(i)
}

// open starts a node's log.
func (t *town) open(i int) {
	t.start(i)
	if !t.wanting.base {
		t.nodes[i].log.Base(t.base)
	}
}

// down is a node's crash. It may lose its disk.
func (t *town) down(i int, disk bool) {
	p := t.people[i]
	t.crash(i)
	p.up, p.voter, p.lease, p.held, p.removes, p.told = false, nil, nil, nil, 0, 0
	if disk {
		t.lost++
		p.promises, p.kept, p.giver = 0, 0, ""
		t.nodes[i].store = copyOf{origin0, origin0}
		if p.name >= 0 && t.meant[p.name] != i { // there would be two blank ones
			p.name = -1
		}
	}
}

// holds tells whether a node has a lease now.
func (t *town) holds(i int) bool {
	p := t.people[i]
	now := p.at(t.now)
	return p.lease != nil && max(p.former, p.lease.Until(now)) > now
}

// serves tells whether it owns the shard, too.
func (t *town) serves(i int) bool {
	n, p := t.nodes[i], t.people[i]
	return n.log != nil && n.log.role == Owner && n.log.epoch == p.epoch && t.holds(i)
}

func (t *town) stands(i int) {
	p := t.people[i]
	if !t.members(i).voter(i) {
		return
	}
	p.made++
	p.stood, t.stood = p.made, t.now
	t.stand(i)
}

// own is when a node has become an owner.
func (t *town) own(i int) {
	p := t.people[i]
	p.proved, p.turned, p.owned, p.counted = p.stood, 0, t.now, map[int]time.Duration{}
	p.given, p.from = map[int]given{}, t.nodes[i].store.now.Number
	clear(t.nodes[i].counts)
	for _, e := range t.members(i).nodes {
		t.nodes[i].counts[e.machine] = 0
	}
	t.nodes[i].counts[i] = t.nodes[i].store.durable.Number
	if t.appoint(i); !t.members(i).voter(i) {
		t.resign(i)
	}
}

// appoint begins a lease.
func (t *town) appoint(i int) {
	p := t.people[i]
	if epoch := t.nodes[i].log.epoch; p.lease == nil || p.epoch != epoch {
		p.lease, p.epoch, p.held, p.beaten = NewLease(epoch, t.members(i).votes()...), epoch, map[uint64]bool{},
			-time.Hour
		p.former = 0
	}
}

// tell is when a node's turn has been acknowledged.
func (t *town) tell(i int, turn []byte) {
	p := t.people[i]
	p.proved = max(p.proved, p.turned)
	if what, id := parseTurn(turn); what == remove {
		t.gone[id] = true
		p.removes = 0
	}
}

// works has an owner write something.
func (t *town) works(i int) {
	n, p := t.nodes[i], t.people[i]
	c := t.contents(i)
	if !n.log.Ready() || !t.serves(i) && !t.wanting.writes {
		return
	}
	p.made++
	p.turned = p.made
	parts := max(1, t.r.IntN(6)-2)
	if id := c.top - t.r.Uint64N(min(c.top, 5)+1); t.r.IntN(3) == 0 && c.has(id) {
		delete(p.held, id)
		p.removes = id
		t.begin(i, remove, id, parts)
	} else if c.top < mostIDs {
		t.begin(i, put, c.top+1, parts)
	}
}

// hands has an owner give a job to a client. That is in no log.
func (t *town) hands(i int) {
	p := t.people[i]
	c := t.contents(i)
	id := c.top - t.r.Uint64N(min(c.top, 5)+1)
	if !t.serves(i) || !c.has(id) || id == p.removes || p.held[id] {
		return
	}
	if t.gone[id] {
		t.fail("K1: node %d hands out job %d, whose removal was acknowledged", i, id)
	}
	for k, o := range t.people {
		if k != i && o.held[id] {
			t.fail("K7: nodes %d and %d have given job %d to a client", k, i, id)
		}
	}
	p.held[id] = true
	t.handed++
}

// check looks who has a lease.
func (t *town) check() {
	for l := range t.engine {
		if s := &t.engine[l]; s.purged > t.gonePast[l] {
			t.remains(l, t.gonePast[l])
			t.gonePast[l] = s.purged
		}
	}
	holder := -1
	for i, p := range t.people {
		if !t.holds(i) {
			clear(p.held) // its clients are cut off
			continue
		}
		if holder >= 0 {
			t.fail("K7: nodes %d and %d have leases, for epochs %d and %d", holder, i, t.people[holder].epoch, p.epoch)
		}
		t.heldAt = t.now
		if holder = i; p.epoch < t.newest {
			t.fail("K7: epoch %d has a lease, after epoch %d had one", p.epoch, t.newest)
		}
		if p.epoch > t.newest {
			if t.newest = p.epoch; t.ended > 0 && t.now-t.ended < LeaseTime/2 {
				t.handOver++
			}
			t.holders++
		}
	}
}

// name is that of an owner.
func (t *town) name(i int) string {
	return fmt.Sprint(i, ".", t.people[i].boot, ".", t.people[i].epoch)
}

// syncs makes a store durable.
func (t *town) syncs(i int) {
	t.sync(i)
	t.people[i].most = max(t.people[i].most, t.nodes[i].store.durable.Number)
}

func (t *town) arrive() {
	var due []*note
	t.notes = slices.DeleteFunc(t.notes, func(m *note) bool {
		if m.due > t.now || t.people[m.to].still > t.now {
			return false
		}
		due = append(due, m)
		return true
	})
	slices.SortStableFunc(due, func(a, b *note) int { return int(a.due - b.due) })
	for _, m := range due {
		if t.people[m.to].up && (m.kind != keeping || m.boot == t.people[m.to].boot) {
			t.comes(*m)
		}
	}
}
