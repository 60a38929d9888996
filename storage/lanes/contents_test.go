package lanes

import (
	"encoding/binary"
	"fmt"

	"beanfield/storage/turns"
)

// contents are what a store has.
type contents struct {
	top   uint64    // the highest id
	jobs  [4]uint64 // a bit for each id
	open  string    // turns of which a part is still missing
	epoch uint64    // who wrote them
	// of a town; nil: those for which the lanes were made
	members *version
}

// What turns do.
const (
	put    = 'p'
	remove = 'r'
	change = 'm' // the members
)

const mostIDs = 200

func (c *contents) has(id uint64) bool { return c.jobs[id/64]&(1<<(id%64)) != 0 }

// parseTurn tells what a turn does, and to which job.
func parseTurn(b []byte) (what byte, id uint64) { return b[0], binary.LittleEndian.Uint64(b[1:]) }

// after are contents with one more record.
func (w *world) after(c contents, r *turns.Record) contents {
	if r.Rest && (c.open == "" || c.epoch != r.Epoch) {
		w.fail("P7: record %d of epoch %d goes on with turns of epoch %d", r.Number, r.Epoch, c.epoch)
	}
	if !r.Rest {
		c.open = "" // an owner has ended before it came to its end
	}
	if c.open, c.epoch = c.open+string(r.Turns), r.Epoch; r.More {
		return c
	}
	if !w.turns[c.open] {
		w.fail("P7: record %d ends turns that nobody wrote", r.Number)
		return c
	}
	turn := c.open
	what, id := parseTurn([]byte(turn))
	switch c.open = ""; {
	case what == change:
		if c.members == nil && id != 1 || c.members != nil && id != c.members.number+1 {
			w.fail("P14: record %d has version %d, after another one than that before", r.Number, id)
		}
		c.members = w.decisions[turn]
	case what == put && id <= c.top:
		w.fail("K8: record %d gives the id %d, after %d", r.Number, id, c.top)
	case what == put:
		c.top = id
		c.jobs[id/64] |= 1 << (id % 64)
	default:
		c.jobs[id/64] &^= 1 << (id % 64)
	}
	return c
}

// contents are those of a node's store now.
func (w *world) contents(i int) contents { return w.states[w.nodes[i].store.now.Hash] }

// write has an owner put a job.
func (w *world) write(i int) { w.begin(i, put, w.contents(i).top+1, 1) }

// begin has an owner write turns, in some parts.
func (w *world) begin(i int, what byte, id uint64, parts int) {
	n := w.nodes[i]
	n.writes++
	b := binary.LittleEndian.AppendUint64([]byte{what}, id)
	n.turn = append(b, fmt.Sprint(i, n.life, n.writes)...)
	w.turns[string(n.turn)] = true
	if what == change {
		w.decisions[string(n.turn)] = w.proposed
	}
	for rest := n.turn; parts > 0; parts-- {
		size := len(rest) / parts
		n.parts, rest = append(n.parts, rest[:size]), rest[size:]
	}
	w.goOn(i)
}

// goOn has an owner write the next part of its turns.
func (w *world) goOn(i int) {
	n := w.nodes[i]
	part := n.parts[0]
	n.parts = n.parts[1:]
	n.wrote = n.log.Write(part, len(n.parts) > 0, n.log.open)
	w.settle(i, nil)
}
