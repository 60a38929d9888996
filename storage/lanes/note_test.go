package lanes

import (
	"time"
)

// clock runs at a rate of its own, from a beginning of its own.
type clock struct {
	from time.Duration
	rate float64
}

func (c clock) at(now time.Duration) time.Duration {
	return c.from + time.Duration(float64(now)*c.rate)
}

// note is what one node says to another.
type note struct {
	kind       int
	from, to   int
	boot       int // of the node that asked, or that keeps a promise
	due        time.Duration
	epoch      uint64
	sent       time.Duration
	ended      uint64 // an epoch that has ended; 0 for none
	life       uint64 // of a beat, the life that it shows; of an answer, that of a blank voter
	ok         bool
	since      time.Duration
	promised   uint64
	name       int      // of an answer: as whom
	voter      uint64   // likewise
	members    *version // of a beat: by whom it counts
	durable    int64    // -1: there is no copy that counts
	stand      bool     // the node is to be the next owner
	request    int
	checkpoint *copyOf
	giver      string
}

// What a note is.
const (
	beating = iota
	answering
	keeping // a promise is being written to a file
	ending
	giving // a checkpoint
)

// send has a note come soon, or late, or never, or twice.
func (t *town) send(m note) {
	bound := 20 * time.Millisecond
	if t.people[m.from].cut[m.to] > t.now && m.from != m.to {
		return
	}
	switch t.r.IntN(12) {
	case 0:
		return
	case 1:
		bound = 3 * time.Second
	case 2:
		again := m
		again.due = t.now + time.Duration(t.r.Int64N(int64(3*time.Second)))
		t.notes = append(t.notes, &again)
	}
	m.due = t.now + time.Duration(t.r.Int64N(int64(bound)))
	t.notes = append(t.notes, &m)
}

// beat has an owner ask all whether it may go on.
func (t *town) beat(i int) {
	n, p := t.nodes[i], t.people[i]
	if n.log == nil || p.lease == nil || n.log.epoch != p.epoch || n.log.role == Follower {
		return
	}
	p.beaten = p.at(t.now)
	members := t.members(i)
	for k, o := range t.people {
		e := members.named(o.name)
		if e == nil {
			continue
		}
		m := note{members: members, kind: beating, from: i, to: k, boot: p.boot, epoch: p.epoch, sent: p.beaten}
		if p.told < p.epoch {
			m.ended = p.told
		}
		if h := p.heard[e.machine]; p.proved > h.made || t.wanting.shown {
			m.life = h.life
		}
		t.send(m)
	}
}

// comes is when a note reaches a node that is up.
func (t *town) comes(m note) {
	n, p := t.nodes[m.to], t.people[m.to]
	switch m.kind {
	case beating, keeping:
		t.beaten(m)
	case answering:
		t.answered(m)
	case ending:
		p.told = max(p.told, m.ended)
		t.hear(m.to, m.ended)
		if m.stand && n.log != nil && n.log.role == Follower {
			t.stands(m.to)
		}
	case giving:
		if m.request != p.asks {
			return
		}
		n.life++
		n.store, p.asks, p.giver, p.offers = *m.checkpoint, 0, m.giver, nil
		p.most = max(p.most, n.store.durable.Number)
		t.open(m.to)
	}
}

// hear tells a voter that an epoch has ended.
func (t *town) hear(i int, epoch uint64) {
	v := t.people[i].voter
	if v.Ended(epoch); t.wanting.any && epoch > 0 {
		v.Ended(v.promised)
		v.Ended(v.former.epoch)
	}
}

// beaten is when a voter is asked, or has kept what it promises.
func (t *town) beaten(m note) {
	p := t.people[m.to]
	v := p.voter
	if m.kind == keeping {
		p.promises, p.kept = max(p.promises, m.epoch), p.since
		v.Kept(m.epoch)
	}
	t.hear(m.to, m.ended)
	if life, _ := v.Blank(); t.wanting.stale && m.life > 0 {
		m.life = life
	}
	_, blank := v.Blank()
	v.Shown(m.epoch, m.life)
	if _, still := v.Blank(); blank && !still {
		p.since = m.members.named(p.name).since
	}
	since, keep, ok := v.Beat(p.at(t.now), m.epoch)
	if keep && t.wanting.eager {
		v.kept, ok, since = m.epoch, true, p.at(t.now)-v.older
		keep = false
	}
	if keep {
		m.kind, m.boot = keeping, p.boot
		m.due = t.now + time.Duration(t.r.Int64N(int64(100*time.Millisecond)))
		t.notes = append(t.notes, &m)
		return
	}
	life, _ := v.Blank()
	answer := note{kind: answering, from: m.to, to: m.from, epoch: m.epoch, sent: m.sent, ok: ok, since: since,
		promised: v.promised, life: life, durable: t.reports(m.to), request: p.asks, name: p.name, voter: p.since}
	t.send(answer)
}

// reports is what a node says of how far its copy is durable.
func (t *town) reports(i int) int64 {
	n, p := t.nodes[i], t.people[i]
	if p.asks > 0 || n.store.durable.Number == 0 && n.store.durable.Hash != t.base {
		return -1
	}
	return int64(n.store.durable.Number)
}

// answered is when an owner gets an answer.
func (t *town) answered(m note) {
	n, p := t.nodes[m.to], t.people[m.to]
	e := t.members(m.to).named(m.name)
	if e == nil || m.life == 0 && m.voter != e.since && !t.wanting.names {
		return
	}
	who := e.machine // whoever it was: the owner knows names
	if m.life != 0 && p.heard[who].life != m.life {
		p.heard[who] = heard{m.life, p.made}
	}
	if t.wanting.mixes {
		m.epoch = p.epoch
	}
	if p.lease == nil || m.epoch != p.epoch {
		return
	}
	if n.counts != nil && (m.sent > p.counted[who] || t.wanting.late) {
		p.counted[who] = max(m.sent, p.counted[who])
		if m.durable >= 0 {
			delete(p.given, who)
			n.count(who, uint64(m.durable))
		}
		if m.request > 0 {
			t.gives(m, who)
		}
	}
	if m.ok {
		if t.wanting.hears {
			m.sent = p.at(t.now)
		}
		if t.wanting.rest {
			m.since = time.Hour
		}
		p.lease.Answered(p.at(t.now), e.vote(), m.epoch, m.sent, m.since)
	} else if m.promised > m.epoch && n.log != nil {
		t.resign(m.to)
	}
}

// asks is when a node lacks records: its copy counts no more, and it wants another one. If that does
// not come it begins anew.
func (t *town) asks(i int) {
	n, p := t.nodes[i], t.people[i]
	if p.asks == 0 {
		if !n.log.Gap() || !t.lacks(i) {
			return
		}
		n.life++
		n.stop()
		p.lease, p.giver = nil, ""
	}
	t.requests++
	p.asks, p.offers = t.requests, map[string]uint64{}
}

// lacks tells whether what a node needs next has left the lanes. A Gap may be one for nothing, because
// of reads that miss the newest records; the lanes' leaders tell.
func (t *town) lacks(i int) bool {
	place := t.nodes[i].store.now
	if place.Number == 0 && place.Hash != t.base {
		return true
	}
	for l := range t.engine {
		for _, e := range t.engine[l].records[t.engine[l].purged:] {
			if e.Record.Number == place.Number+1 {
				return false
			}
		}
	}
	return true
}

// gives has an owner give a checkpoint. It counts from now on.
func (t *town) gives(m note, who int) {
	n, p, o := t.nodes[m.to], t.people[m.to], t.people[m.from]
	g, again := p.given[who]
	if !again || g.request != m.request {
		c := n.store
		c.now = c.durable
		g = given{m.request, &c}
		p.given[who], p.counted[who] = g, p.at(t.now)
		n.count(who, c.durable.Number)
		if m.request == o.asks {
			o.offers[t.name(m.to)] = c.durable.Number
		}
	}
	t.send(note{kind: giving, from: m.to, to: m.from, request: m.request, checkpoint: g.store, giver: t.name(m.to)})
}
