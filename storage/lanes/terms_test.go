package lanes

import (
	"testing"
	"time"

	"beanfield/storage/effort"
)

// customs are what may happen to a node of a town that is up, and how often beside the others.
var customs = []struct {
	weight int
	what   func(t *town, i, lane int)
	moves  bool // only where members come and go
}{
	{weight: 60, what: func(t *town, i, lane int) { t.works(i) }},
	{weight: 40, what: func(t *town, i, lane int) { t.hands(i) }},
	{weight: 40, what: func(t *town, i, lane int) {
		t.nodes[i].log.Follow(lane)
		t.settle(i, nil)
	}},
	{weight: 5, what: func(t *town, i, lane int) {
		if t.nodes[i].lane[lane] != 0 {
			t.timeout(i, lane)
		}
	}},
	{weight: 12, what: func(t *town, i, lane int) {
		if quiet := t.now-max(t.heldAt, t.stood) > Rest; t.nodes[i].log.role == Follower &&
			(quiet || t.r.IntN(20) == 0) || quiet && t.now-t.people[i].owned > 2*Rest {
			t.stands(i)
		}
	}},
	{weight: 20, what: func(t *town, i, lane int) { t.syncs(i) }},
	{weight: 15, what: func(t *town, i, lane int) { t.purges(i, lane) }},
	{weight: 1, what: func(t *town, i, lane int) { t.down(i, false) }},
	{weight: 3, what: func(t *town, i, lane int) {
		if t.rough && t.spare(i) {
			t.down(i, true)
		}
	}},
	{weight: 1, what: func(t *town, i, lane int) { t.people[i].cut[t.r.IntN(len(t.nodes))] = t.now + t.while() }},
	{weight: 1, what: func(t *town, i, lane int) { t.people[i].still = t.now + 2*t.while() }},
	{weight: 3, what: func(t *town, i, lane int) {
		if t.nodes[i].log.Ready() {
			t.nodes[i].log.Use(lane)
		}
	}},
	{weight: 6, what: func(t *town, i, lane int) { t.asks(i) }},
	{weight: 3, what: func(t *town, i, lane int) { t.giveUp(i, t.r.IntN(len(t.nodes))) }},
	{weight: 10, what: func(t *town, i, lane int) { t.ends(i, t.r.IntN(len(t.nodes))) }},
	{weight: 40, what: func(t *town, i, lane int) { t.changes(i) }, moves: true},
}

// while is for how long a link is cut or a node stands still.
func (t *town) while() time.Duration { return time.Duration(t.r.Int64N(int64(4 * Rest))) }

// ends has an owner end its epoch, and another node follow it.
func (t *town) ends(i, next int) {
	n, p := t.nodes[i], t.people[i]
	if n.log.role != Owner || next == i {
		return
	}
	if !t.wanting.early {
		t.resign(i)
		p.lease.End()
		clear(p.held)
	}
	p.told = p.epoch
	t.hear(i, p.told)
	if t.newest == p.epoch {
		t.ended = t.now
	}
	for k := range t.people {
		t.send(note{kind: ending, from: i, to: k, ended: p.epoch, stand: k == next})
	}
}

// step is one event, some time later.
func (t *town) step() {
	if t.now += time.Duration(t.r.Int64N(int64(40 * time.Millisecond))); t.r.IntN(100) == 0 {
		t.now += time.Duration(t.r.Int64N(int64(2 * time.Second)))
	}
	t.check()
	t.arrive()
	for i, p := range t.people {
		if n := t.nodes[i]; t.wanting.asks && n.log != nil && n.log.role == Candidate && n.log.epoch > 0 {
			t.appoint(i)
		}
		if !p.up || p.still > t.now {
			continue
		}
		if p.at(t.now)-p.beaten > 200*time.Millisecond {
			t.beat(i)
		}
		for l, w := range p.waits {
			if id := t.nodes[i].lane[l]; id != w.request {
				p.waits[l] = waiting{id, t.now}
			} else if id != 0 && t.now-w.since > 300*time.Millisecond && t.r.IntN(4) == 0 {
				t.timeout(i, l)
			}
		}
	}
	i := t.r.IntN(len(t.nodes))
	switch n, p := t.nodes[i], t.people[i]; {
	case len(t.mix) == 0 || t.r.IntN(100) < 55:
		t.message()
	case !p.up && p.name >= 0 && t.r.IntN(3) == 0:
		t.up(i)
	case !p.up || p.still > t.now:
	case n.log != nil:
		customs[t.mix[t.r.IntN(len(t.mix))]].what(t, i, t.r.IntN(2))
	case t.r.IntN(20) == 0:
		t.asks(i)
	case t.r.IntN(20) == 0:
		t.down(i, false)
	}
	t.check()
}

// live plays a random course of a town, and then lets everything calm down.
func live(seed uint64, steps int, set func(*town)) (*town, error) {
	t := newTown(seed, set)
	for range steps {
		if t.step(); t.wrong != nil {
			return t, t.wrong
		}
	}
	if set == nil {
		t.settles()
	}
	return t, t.wrong
}

// settles has everybody up and every message delivered, until somebody who has a lease has written
// and all have it, and have promised it.
func (t *town) settles() {
	before := t.acked
	for i := range t.people {
		t.people[i].still, t.people[i].cut = 0, [5]time.Duration{}
	}
	for range 400 {
		t.now += 50 * time.Millisecond
		t.check()
		owner := -1
		for i, p := range t.people {
			if !p.up && p != t.away && p.name >= 0 {
				t.up(i)
			}
			if n := t.nodes[i]; n.log != nil && n.log.role == Owner &&
				(owner < 0 || n.log.epoch > t.nodes[owner].log.epoch) {
				owner = i
			}
		}
		if owner < 0 {
			if i := t.r.IntN(len(t.nodes)); t.nodes[i].log != nil && t.nodes[i].log.role == Follower {
				t.stands(i)
			}
		} else if !t.holds(owner) && t.now-t.people[owner].owned > 2*Rest {
			t.stands(owner)
		} else if t.r.IntN(4) == 0 && len(t.nodes[owner].parts) == 0 { // that shows the blank ones their lives
			t.works(owner)
		}
		if done := t.rounds(); t.wrong != nil || done && t.acked >= before+2 {
			return
		}
	}
	t.fail("it does not calm down: %d acknowledged, %d before", t.acked, before)
}

// rounds delivers everything, and tells whether all have what there is.
func (t *town) rounds() (done bool) {
	done = true
	for i, p := range t.people {
		if p == t.away || p.name < 0 {
			continue
		}
		if p.at(t.now)-p.beaten > 200*time.Millisecond {
			t.beat(i)
		}
		for len(t.notes) > 0 {
			for k := range t.notes {
				t.notes[k].due = t.now
			}
			t.arrive()
		}
		n, member := t.nodes[i], t.last.at(i) != nil
		if n.log == nil {
			done = done && !member
			continue
		}
		for l := range n.lane {
			n.log.Follow(l)
			t.settle(i, nil)
		}
		for len(t.messages) > 0 && t.wrong == nil {
			t.deliver(0, 0)
		}
		for l := range n.lane {
			if n.lane[l] != 0 {
				t.timeout(i, l)
			}
		}
		t.syncs(i)
		t.asks(i)
		_, blank := p.voter.Blank()
		done = done && (!member || !blank && n.store.now.Number == uint64(len(t.content)))
	}
	t.check()
	return done
}

// P1 to P12, K1 to K8: several nodes with clocks of their own and a network between them, which own the
// shard one after the other, in order or not, while some crash, some lose their disks and some need
// new copies.
func TestTerms(t *testing.T) {
	seeds := effort.Courses(10_000, 1000)
	var acked, purged, holders, handed, handOver, lost, requests int
	for seed := range seeds {
		w, err := live(uint64(seed), 1500, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		acked += int(w.acked)
		purged += w.engine[0].purged + w.engine[1].purged
		holders += w.holders
		handed += w.handed
		handOver += w.handOver
		lost += w.lost
		requests += w.requests
	}
	if n := seeds; acked < 10*n || purged < 3*n || holders < 2*n || handed < 2*n || handOver < n/10 || lost < n ||
		requests < n {
		t.Error("too little happens")
	}
	t.Logf("%d acknowledged, %d purged, %d epochs with a lease, %d of them soon after one that ended, %d jobs "+
		"handed out, %d disks lost, %d checkpoints asked for",
		acked, purged, holders, handOver, handed, lost, requests)
}

// P12: nodes that have lost their promises, or their disks, one after the other, vote again without
// anybody's help, also while another node is away.
func TestLostPromises(t *testing.T) {
	promises := func(t *town, i int) {
		t.down(i, false)
		t.people[i].promises = 0
	}
	disk := func(t *town, i int) { t.down(i, true) }
	away := func(t *town, i int) {
		t.down(i, false)
		t.away = t.people[i]
	}
	for name, steps := range map[string][]func(t *town, i int){
		"a disk, and another one later":  {disk, disk, disk},
		"a disk, and a node goes":        {disk, away},
		"a node goes, and then promises": {away, promises},
		"a disk while a node is away":    {away, disk},
		"all promises at once": {func(t *town, _ int) {
			for i := range t.people {
				promises(t, i)
			}
		}},
	} {
		for seed := range uint64(20) {
			w := newTown(seed, nil)
			w.settles()
			for i, step := range steps {
				step(w, (int(seed)+i)%3)
				if w.settles(); w.wrong != nil {
					t.Fatalf("%s, seed %d, after step %d: %v", name, seed, i, w.wrong)
				}
			}
		}
	}
}
