package lanes

import (
	"fmt"
	"slices"

	"beanfield/storage/turns"
)

const origin = 42

// copyOf is a node's store: as it is, and as a crash would leave it.
type copyOf struct{ now, durable turns.Place }

// member is a node of the world.
type member struct {
	life   int
	writes int  // turns that it has begun to write
	log    *Log // nil while it is down
	store  copyOf
	lane   [2]uint64      // the request under way on each lane; 0 for none
	wrote  turns.Place    // what the owner is writing
	turn   []byte         // of which that is a part
	parts  [][]byte       // what is left of it
	counts map[int]uint64 // of an owner: up to which number each counted copy is durable
	purged uint64         // of an owner: the highest number that it may have had purged
}

// world is some nodes, the engine, and what is under way between them. After each step it
// is compared with what must be true.
type world struct {
	nodes    []*member
	engine   engine
	messages []message
	nonces   uint64
	without  without
	base     uint64 // the hash before the first record
	on       hooks

	content map[uint64]uint64 // the hash of each number that has landed
	newest  [2]uint64         // epoch on each lane
	owners  map[uint64]string
	acked   uint64            // the highest number
	ackedOf map[uint64]uint64 // the highest number of each epoch
	ids     map[uint64]bool
	states  map[uint64]contents // what a store has with the record that has a hash
	turns   map[string]bool     // what owners have begun to write

	proposed  *version            // the newest that an owner has begun to write
	decisions map[string]*version // what the turns that are versions say
	wrong     error
}

// hooks are told what happens in a world, or change it.
type hooks struct {
	own  func(i int)
	told func(i int, turn []byte) // its turn has been acknowledged
	// it has taken a version of the members
	decided func(i int, v *version)
}

// Worlds are small, so marks are few in them.
func init() { mostMarks = 4 }

func newWorld(n int) *world {
	w := &world{content: map[uint64]uint64{}, owners: map[uint64]string{}, ackedOf: map[uint64]uint64{},
		ids: map[uint64]bool{}}
	w.states, w.turns, w.decisions = map[uint64]contents{0: {}}, map[string]bool{}, map[string]*version{}
	for i := range n {
		w.nodes = append(w.nodes, &member{store: copyOf{origin0, origin0}})
		w.start(i)
	}
	return w
}

func (w *world) fail(text string, args ...any) {
	if w.wrong == nil {
		w.wrong = fmt.Errorf(text, args...)
	}
}

func (w *world) start(i int) {
	n := w.nodes[i]
	n.log = New(fmt.Sprint("node", i), n.store.now)
	n.log.without = w.without
	for l := range w.engine {
		if n.life%2 == 1 { // now and then from the last record that the store has (P2)
			n.log.From(l, w.engine[l].has(n.store.now.Number))
		}
	}
}

// stop has a node forget what it was doing.
func (n *member) stop() {
	n.log, n.lane, n.counts, n.wrote, n.parts = nil, [2]uint64{}, nil, turns.Place{}, nil
}

// crash takes what a node has not made durable, and what it waits for.
func (w *world) crash(i int) {
	n := w.nodes[i]
	n.life++
	n.stop()
	n.store.now = n.store.durable
}

// settle does what a node does after each event: it sends its requests and folds what it takes.
func (w *world) settle(i int, err error) {
	n := w.nodes[i]
	if err != nil {
		w.fail("node %d: %w", i, err)
		return
	}
	for _, e := range n.log.Taken() {
		w.folded(i, &e)
	}
	for _, r := range n.log.Requests() {
		n.lane[r.Lane] = r.ID
		anywhere := w.without.expect && r.Data != nil && n.log.role == Candidate
		w.messages = append(w.messages, message{from: i, life: n.life, Request: r, anywhere: anywhere})
	}
	if role, _ := n.log.Role(); role != Owner {
		n.counts, n.parts = nil, nil
	} else if n.counts == nil {
		n.counts, n.purged = map[int]uint64{}, 0
		for k := range w.nodes { // until they are heard of, or given up
			n.counts[k] = 0
		}
		n.counts[i] = n.store.durable.Number
		w.owns(i)
	}
	if len(n.parts) > 0 && n.log.Ready() {
		w.goOn(i)
	}
}

// owns is when a node becomes an owner.
func (w *world) owns(i int) {
	n := w.nodes[i]
	who := fmt.Sprint(i, ".", n.life, ".", n.log.nonce)
	if other := w.owners[n.log.epoch]; other != "" && other != who {
		w.fail("K6: %s and %s own epoch %d", who, other, n.log.epoch)
	}
	w.owners[n.log.epoch] = who
	if w.on.own != nil {
		w.on.own(i)
	}
	for epoch, number := range w.ackedOf {
		if have := n.log.Place().Number; epoch < n.log.epoch && number > have {
			w.fail("K1: node %d owns epoch %d and has %d records; %d are acknowledged", i, n.log.epoch, have, number)
		}
	}
}

// folded is when a node has taken a record.
func (w *world) folded(i int, e *Entry) {
	n, number := w.nodes[i], e.Record.Number
	if w.content[number] != e.Hash || e.Record.Number != n.store.now.Number+1 || e.Record.Before != n.store.now.Hash {
		w.fail("K4: node %d folds another record %d, behind %d", i, number, n.store.now.Number)
	}
	if number == 1 && e.Record.Before != w.base {
		w.fail("K4: node %d folds a first record that does not go on from the import", i)
	}
	n.store.now.Number, n.store.now.Hash = number, e.Hash
	if _, known := w.states[e.Hash]; !known {
		w.states[e.Hash] = w.after(w.states[e.Record.Before], &e.Record)
	}
	if m := w.states[e.Hash].members; m != w.states[e.Record.Before].members {
		w.on.decided(i, m)
	}
	if n.wrote != n.store.now {
		return
	}
	if n.wrote = (turns.Place{}); !e.Record.More {
		w.acknowledged(i, e)
		if w.on.told != nil {
			w.on.told(i, n.turn)
		}
	}
}

// acknowledged is when a client learns that its turns count.
func (w *world) acknowledged(i int, e *Entry) {
	if what, id := parseTurn(w.nodes[i].turn); what == put {
		if w.ids[id] {
			w.fail("K8: node %d gives the id %d once more", i, id)
		}
		w.ids[id] = true
	}
	w.acked, w.ackedOf[e.Record.Epoch] = max(w.acked, e.Record.Number), e.Record.Number
	found := false
	for l := range w.engine {
		epoch := uint64(0)
		for _, r := range w.engine[l].records {
			if epoch = max(epoch, r.Record.Epoch); r.Hash == e.Hash && epoch == e.Record.Epoch {
				found = true
			}
		}
	}
	if !found {
		w.fail("K1: record %d of epoch %d is acknowledged, and on no lane before a newer epoch", e.Record.Number,
			e.Record.Epoch)
	}
	for number := uint64(1); number < e.Record.Number; number++ {
		if _, ok := w.content[number]; !ok {
			w.fail("K1: record %d is acknowledged; record %d is nowhere", e.Record.Number, number)
		}
	}
}

// landed is when a record has come to a lane.
func (w *world) landed(l int, e *Entry) {
	r := &e.Record
	if second := min(w.newest[0], w.newest[1]); r.Epoch < second || r.Epoch < w.newest[l] {
		w.fail("K3: a record of epoch %d lands on lane %d, epochs there are %d", r.Epoch, l, w.newest)
	}
	w.newest[l] = max(w.newest[l], r.Epoch)
	if hash, ok := w.content[r.Number]; r.Number > 0 && ok && hash != e.Hash {
		w.fail("K2: record %d has two contents", r.Number)
	}
	if r.Number > 0 {
		w.content[r.Number] = e.Hash
	}
}

// deliver brings a message where it goes.
func (w *world) deliver(k, miss int) {
	m := w.messages[k]
	w.messages = slices.Delete(w.messages, k, k+1)
	if !m.answer {
		answer, landed := w.engine.run(m, miss)
		if landed != nil {
			w.landed(m.Lane, landed)
		}
		if m.purge == 0 {
			w.messages = append(w.messages, answer)
		}
		return
	}
	n := w.nodes[m.from]
	if n.log == nil || n.life != m.life {
		return
	}
	var err error
	switch {
	case m.refused:
		err = n.log.Refused(m.ID, m.Place)
	case m.Data != nil:
		err = n.log.Appended(m.ID, m.appended)
	default:
		err = n.log.Read(m.ID, m.first, m.read, false)
	}
	if n.lane[m.Lane] == m.ID {
		n.lane[m.Lane] = 0
	}
	w.settle(m.from, err)
}

// timeout is when a node has waited long enough.
func (w *world) timeout(i, l int) {
	n := w.nodes[i]
	id := n.lane[l]
	n.lane[l] = 0
	n.log.Late(id)
	w.settle(i, nil)
}

func (w *world) stand(i int) {
	w.nonces++
	w.nodes[i].log.Stand(w.nonces)
	w.settle(i, nil)
}

// resign has a candidate or an owner give up.
func (w *world) resign(i int) {
	w.nodes[i].log.Resign()
	w.settle(i, nil)
}

// sync makes a store durable.
func (w *world) sync(i int) { w.nodes[i].store.durable = w.nodes[i].store.now }

// count is when an owner hears how far a copy is. One that needs what may be purged is told to
// begin again.
func (n *member) count(i int, durable uint64) {
	if durable < n.purged {
		delete(n.counts, i)
		return
	}
	n.counts[i] = durable
}
