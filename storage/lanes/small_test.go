package lanes

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"beanfield/storage/effort"
)

// budget is what may still happen in a small world, to each node or in all.
type budget struct {
	stands, writes  [2]int
	timeouts, crash int
	resigns         int
	parts           int // that turns have; 0 is as 1
}

// branch is a state of a small world.
type branch struct {
	*world
	left budget
}

func (w *world) clone() *world {
	c := *w
	c.engine, c.messages = w.engine.clone(), slices.Clone(w.messages)
	c.content, c.owners, c.ids = maps.Clone(w.content), maps.Clone(w.owners), maps.Clone(w.ids)
	c.ackedOf, c.states, c.turns = maps.Clone(w.ackedOf), maps.Clone(w.states), maps.Clone(w.turns)
	c.nodes = nil
	for _, n := range w.nodes {
		m := *n
		m.counts = maps.Clone(n.counts)
		if n.log != nil {
			l := *n.log
			for i := range l.lanes {
				l.lanes[i].ahead, l.lanes[i].marks = slices.Clone(l.lanes[i].ahead), slices.Clone(l.lanes[i].marks)
			}
			m.log = &l
		}
		c.nodes = append(c.nodes, &m)
	}
	return &c
}

// useful tells whether a message can still change anything.
func (b *branch) useful(m *message) bool {
	n := b.nodes[m.from]
	waits := n.log != nil && n.life == m.life && n.log.lanes[m.Lane].asked == m.ID
	return waits || !m.answer && m.Data != nil
}

// key tells states apart, but for what makes no difference: the order of messages, and
// the names of requests.
func (b *branch) key() string {
	var k []byte
	number := func(values ...uint64) {
		for _, v := range values {
			k = binary.AppendUvarint(k, v)
		}
	}
	k = fmt.Append(k, b.left, b.newest, b.acked, b.owners, b.ackedOf, b.ids) // maps are printed in order
	for i := range b.engine {
		number(uint64(len(b.engine[i].records)))
		for _, e := range b.engine[i].records {
			number(e.Hash)
		}
	}
	for _, n := range b.nodes {
		if n.log == nil {
			k = append(k, 0xff)
			continue
		}
		l := n.log
		number(uint64(l.role), l.epoch, l.nonce, l.seen, uint64(l.at), l.last.Number, l.last.Hash,
			n.store.durable.Number, n.wrote.Hash, uint64(len(n.parts)))
		if l.writing != nil {
			number(l.writing.Hash)
		}
		for i := range l.lanes {
			a := &l.lanes[i]
			k = fmt.Append(k, a.place, a.newest, a.behind, a.mine, a.asked != 0, a.adding != nil, len(a.ahead))
		}
	}
	var under []string
	for _, m := range b.messages {
		if b.useful(&m) {
			n := b.nodes[m.from]
			waits := n.log != nil && n.log.lanes[m.Lane].asked == m.ID && n.life == m.life
			under = append(under, fmt.Sprint(m.from, m.Lane, m.Place, m.answer, m.appended, m.refused, m.first,
				len(m.read), waits, string(m.Data)))
		}
	}
	slices.Sort(under)
	return string(fmt.Append(k, under))
}

// next are all states that one event leads to.
func (b *branch) next() (all []*branch) {
	try := func(ok bool, event func(c *branch)) {
		if ok {
			c := &branch{b.world.clone(), b.left}
			event(c)
			c.messages = slices.DeleteFunc(c.messages, func(m message) bool { return !c.useful(&m) })
			all = append(all, c)
		}
	}
	for k := range b.messages {
		try(true, func(c *branch) { c.deliver(k, 0) })
	}
	for i, n := range b.nodes {
		if n.log == nil {
			try(true, func(c *branch) { c.start(i) })
			continue
		}
		try(b.left.stands[i] > 0 && n.log.role == Follower, func(c *branch) {
			c.left.stands[i]--
			c.nonces = uint64(10*i + c.left.stands[i])
			c.stand(i)
		})
		try(b.left.writes[i] > 0 && n.log.Ready(), func(c *branch) {
			c.left.writes[i]--
			c.begin(i, put, c.contents(i).top+1, max(1, c.left.parts))
		})
		try(b.left.resigns > 0 && n.log.role != Follower, func(c *branch) {
			c.left.resigns--
			c.resign(i)
		})
		for l := range n.lane {
			try(b.left.timeouts > 0 && n.log.lanes[l].asked != 0, func(c *branch) {
				c.left.timeouts--
				c.timeout(i, l)
			})
		}
		try(b.left.crash > 0, func(c *branch) {
			c.left.crash--
			c.crash(i)
		})
	}
	return all
}

// explore visits all states of a world of two nodes.
func explore(left budget) (states, owned, acked int, err error) {
	first := &branch{newWorld(2), left}
	known := map[string]bool{first.key(): true}
	for todo := []*branch{first}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		owned, acked = max(owned, len(b.owners)), max(acked, int(b.acked))
		for _, c := range b.next() {
			if c.wrong != nil {
				return len(known), owned, acked, c.wrong
			}
			if k := c.key(); !known[k] {
				known[k] = true
				todo = append(todo, c)
			}
		}
	}
	return len(known), owned, acked, nil
}

// K1 to K4, K6 and K8 in every order of events of a world of two nodes that both want to own the
// shard and to write, in which messages are late for as long as can be.
func TestSmallWorld(t *testing.T) {
	for _, c := range []struct {
		left  budget
		owned int
		long  bool
	}{
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 1}}, 2, false},
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 0}, timeouts: 1}, 2, false},
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 1}, timeouts: 1}, 2, true},
		{budget{stands: [2]int{2, 1}, writes: [2]int{1, 1}, resigns: 1}, 3, true},
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 1}, resigns: 1, timeouts: 1}, 2, true},
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 1}, parts: 2}, 2, true},
		{budget{stands: [2]int{1, 1}, writes: [2]int{1, 1}, parts: 2, timeouts: 1}, 2, true},
		{budget{stands: [2]int{2, 1}, writes: [2]int{1, 1}, resigns: 1, timeouts: 1}, 3, true},
		{budget{stands: [2]int{1, 1}, writes: [2]int{2, 0}, timeouts: 1}, 2, true},
		{budget{stands: [2]int{2, 1}, writes: [2]int{1, 0}, crash: 1}, 2, true},
		{budget{stands: [2]int{1, 1}, writes: [2]int{2, 1}, timeouts: 2}, 2, true},
	} {
		if c.long && effort.Brief() {
			continue
		}
		states, owned, acked, err := explore(c.left)
		if err != nil {
			t.Errorf("%+v: %v", c.left, err)
		}
		if owned < c.owned || acked < 1 {
			t.Errorf("%+v: %d epochs, %d acknowledged", c.left, owned, acked)
		}
		t.Logf("%+v: %d states", c.left, states)
	}
}
