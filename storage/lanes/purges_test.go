package lanes

import "math"

// giveUp has an owner count a node's copy no more, as an operator may who cannot wait for it.
func (t *town) giveUp(i, k int) {
	c, left, voters := t.nodes[i].counts, 0, t.members(i).voters()
	for _, e := range voters {
		if _, counts := c[e.machine]; counts && e.machine != k {
			left++
		}
	}
	if i != k && left > len(voters)/2 {
		delete(c, k)
	}
}

// purges has an owner free what all copies have that it counts. It knows of the copies that it has given.
func (t *town) purges(i, l int) {
	n := t.nodes[i]
	there, durable := 0, uint64(math.MaxUint64)
	for k, number := range n.counts {
		if _, made := t.people[i].given[k]; !made && t.members(i).voter(k) {
			there++
		}
		durable = min(durable, number)
	}
	if n.log.role != Owner || there <= len(t.members(i).voters())/2 && !t.wanting.majority {
		return
	}
	if len(n.turn) > 0 && n.turn[0] == change && (n.wrote.Number > 0 || len(n.parts) > 0) && !t.wanting.free {
		return
	}
	seq := n.log.Purge(l, durable)
	if seq == 0 || int(seq) <= t.engine[l].purged {
		return
	}
	n.purged = max(n.purged, durable)
	for _, e := range t.engine[l].records[t.engine[l].purged:seq] {
		t.purged(i, e.Record.Number)
	}
	t.messages = append(t.messages, message{from: i, life: n.life, Request: Request{Lane: l}, purge: seq})
}

// purged looks whether an owner may have a record purged.
func (t *town) purged(i int, number uint64) {
	have, voters := 0, t.members(i).voters()
	for _, e := range voters {
		if t.people[e.machine].most >= number {
			have++
		}
	}
	for k, p := range t.people {
		if _, counted := t.nodes[i].counts[k]; !counted {
			continue
		}
		if s := t.nodes[k].store.durable.Number; p.giver == t.name(i) && number > s {
			t.fail("K5: record %d is purged; node %d, a copy of node %d, has %d", number, k, i, s)
		}
		if offer, ok := p.offers[t.name(i)]; ok && number > offer {
			t.fail("K5: record %d is purged; node %d is to be a copy of node %d with %d", number, k, i, offer)
		}
	}
	if have <= len(voters)/2 {
		t.fail("K5: record %d is purged, and has been durable on %d nodes", number, have)
	}
}

// spare tells whether the others have all that has been purged, so that a disk may be lost.
func (t *town) spare(i int) bool {
	purged := uint64(0)
	for l := range t.engine {
		for _, e := range t.engine[l].records[:t.engine[l].purged] {
			purged = max(purged, e.Record.Number)
		}
	}
	for k := range t.nodes {
		if s := &t.nodes[k].store; k != i && t.stays(k) && s.durable.Number >= purged && (s.durable.Number > 0 ||
			s.durable.Hash == t.base) {
			return true
		}
	}
	return false
}

// remains looks whether what has been purged from a lane, beyond a place, is in the copies of most voters, also if
// these have become voters since.
func (t *town) remains(l, from int) {
	number := uint64(0)
	for _, e := range t.engine[l].records[from:t.engine[l].purged] {
		number = max(number, e.Record.Number)
	}
	have, voters := 0, t.last.voters()
	for _, e := range voters {
		if t.people[e.machine].most >= number {
			have++
		}
	}
	if have <= len(voters)/2 {
		t.fail("K5: record %d is purged, and %d of the voters %v have it", number, have, voters)
	}
}
