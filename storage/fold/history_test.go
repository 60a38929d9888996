package fold

import (
	"fmt"

	"beanfield/storage/turns"
)

// turn is what the log has of one turn.
type turn struct {
	ops   []turns.Op
	ends  []bool // of each operation: whether it is a Delete that the window has to remember
	bytes []byte
	at    turns.At
	after state // after all turns up to this one
}

// history is a shard's life: its jobs and queues, its log, window and store, and a share
// on its way from one to the other.
type history struct {
	hasty bool // its store takes shares before the log is durable as FO1 demands

	now     state
	group   []turns.Op // the turn that has not been appended yet
	log     []turn
	perSlot int
	durable int // how many turns would survive a crash

	store  *store
	window *Window
	from   int // at which turn the window began
	done   int // how many turns the window has forgotten

	share  *Share
	to     int // how many turns the share is to take the store to
	next   int // the next turn to be collected
	sealed int // how many turns had been absorbed when it was sealed; 0 before
	stored bool

	crashes int
	wrong   string // the first thing that is not as it must be
}

func newHistory(perSlot int) *history {
	return &history{now: newState(), perSlot: perSlot, store: newStore(), window: NewWindow(0)}
}

func (h *history) fail(format string, args ...any) {
	if h.wrong == "" {
		h.wrong = fmt.Sprintf(format, args...)
	}
}

// op adds an operation to the turn.
func (h *history) op(op turns.Op) {
	h.now.apply(op)
	h.group = append(h.group, op)
}

func (h *history) put(kind string) {
	id := h.now.highest + 1
	if kind == "L" {
		h.store.bodies[id] = true // before the put is logged
	}
	h.op(turns.Op{Kind: turns.Put, ID: id, Value: fmt.Appendf(nil, "%s%d at %d", kind, id, len(h.log))})
}

func (h *history) update(id uint64) {
	h.op(turns.Op{Kind: turns.Update, ID: id, Value: fmt.Appendf(nil, "%d+%d", len(h.log), len(h.group))})
}

func (h *history) end(id uint64) {
	_, updated := h.now.updates[id]
	h.op(turns.Op{Kind: turns.Delete, ID: id, Updated: updated, Large: h.now.bodies[id]})
}

// ofNodes stands for what a cluster says of its nodes, where there are names of queues.
const ofNodes = "(nodes)"

// setQueue sets a queue, or what a cluster says of its nodes.
func (h *history) setQueue(name string) {
	value, kind := fmt.Appendf(nil, "%d", len(h.log)), turns.SetQueue
	if name == ofNodes {
		kind, name = turns.Members, ""
	}
	h.op(turns.Op{Kind: kind, Name: []byte(name), Value: value[:len(value)*(len(h.log)%3)/2]})
}

func (h *history) dropQueue(name string) { h.op(turns.Op{Kind: turns.DropQueue, Name: []byte(name)}) }

func (h *history) raise() { h.op(turns.Op{Kind: turns.Raise, ID: h.now.highest + 2}) }

// commit appends the turn to the log, and has the window absorb it.
func (h *history) commit() {
	n := len(h.log)
	t := turn{ops: h.group, ends: make([]bool, len(h.group)), at: turns.NewAt(uint32(n/h.perSlot), 48),
		after: h.now.clone()}
	if n%h.perSlot != 0 {
		t.at = h.log[n-1].at + turns.At(len(h.log[n-1].bytes)) + 56
	}
	h.log, h.group = append(h.log, t), nil
	for i, op := range t.ops {
		h.log[n].bytes = appendOp(h.log[n].bytes, op)
		if op.Kind == turns.Delete {
			t.ends[i] = op.Large || h.putAt(op.ID) < h.collected()
		}
	}
	h.absorb(h.window, n)
}

func appendOp(dst []byte, op turns.Op) []byte {
	switch op.Kind {
	case turns.Put, turns.Update:
		return append(turns.AppendJob(dst, op.Kind, op.ID, len(op.Value)), op.Value...)
	case turns.Delete:
		return turns.AppendDelete(dst, op.ID, op.Updated, op.Large)
	case turns.SetQueue:
		return turns.AppendSetQueue(dst, string(op.Name), op.Value)
	case turns.DropQueue:
		return turns.AppendDropQueue(dst, string(op.Name))
	case turns.Members:
		return turns.AppendMembers(dst, op.Value)
	default:
		return turns.AppendRaise(dst, op.ID)
	}
}

// putAt is in which turn a job was put.
func (h *history) putAt(id uint64) int {
	for i := range h.log {
		for _, op := range h.log[i].ops {
			if op.Kind == turns.Put && op.ID == id {
				return i
			}
		}
	}
	return -1
}

// collected is how many turns are in shares, or the window has never seen.
func (h *history) collected() int {
	if h.share != nil {
		return h.next
	}
	return h.done
}

func (h *history) absorb(w *Window, i int) {
	if err := w.Absorb(h.log[i].bytes, h.log[i].at); err != nil {
		h.fail("%v", err)
	}
}

func (h *history) begin(to int) { h.share, h.to, h.next, h.sealed = h.window.NewShare(), to, h.done, 0 }

// collect gives the share the next turn. If nothing in its slot counts, it takes nothing.
func (h *history) collect() {
	t, s := h.log[h.next], h.share
	left, before := h.window.Left(t.at.Seq()), size(s)
	if err := s.Collect(t.bytes, t.at); err != nil {
		h.fail("%v", err)
	}
	if after := size(s); left == 0 && after != before {
		h.fail("turn %d: the share takes %d changes from a slot in which nothing counts", h.next, after-before)
	}
	if h.next++; h.next == h.to {
		h.sealed = len(h.log)
		s.Seal(place(h.to))
	}
}

func size(s *Share) int { return len(s.Records) + len(s.Updates) + len(s.Bodies) + len(s.Queues) }

func place(n int) turns.Place { return turns.Place{Origin: 1, Number: uint64(n), Hash: uint64(n)} }

// keep has the store take the share, when the log is durable as FO1 demands.
func (h *history) keep() {
	if h.durable = max(h.durable, h.to); !h.hasty {
		h.durable = max(h.durable, h.sealed)
	}
	if wrong := h.store.take(h.share, h.older); wrong != "" {
		h.fail("%s", wrong)
	}
	h.stored = true
}

func (h *history) older(id uint64) bool { return h.putAt(id) < h.from }

func (h *history) forget() {
	h.share.Done()
	h.done, h.share, h.stored = h.to, nil, false
}

// crash leaves the first n turns of the log, and the store.
func (h *history) crash(n int) {
	h.crashes++
	h.now, h.log, h.group, h.durable = newState(), h.log[:n:n], nil, n
	if n > 0 {
		h.now = h.log[n-1].after.clone()
	}
	for id := range h.store.bodies {
		if id > h.now.highest { // that of a put that is lost
			delete(h.store.bodies, id)
		}
	}
	h.share, h.stored, h.from, h.done = nil, false, h.store.place, h.store.place
	h.window = NewWindow(h.store.highest)
	for i := h.done; i < n; i++ {
		t := &h.log[i]
		for j, op := range t.ops {
			t.ends[j] = op.Kind == turns.Delete && (op.Large || h.older(op.ID))
		}
		h.absorb(h.window, i)
	}
}
