package workload

import (
	"beanfield/conn/beanstalk/client"
	"beanfield/tools/faults/history"
)

// work deals with what the connection has reserved; some of it stays.
func (w *worker) work() {
	kept := w.held[:0]
	for _, h := range w.held {
		if len(w.then) >= pipeline || w.dice.IntN(3) == 0 {
			kept = append(kept, h)
			continue
		}
		if !w.finish(h) {
			kept = append(kept, h)
		}
	}
	w.held = kept
}

// finish does something with a job. It returns whether the connection has it no more then.
func (w *worker) finish(h held) bool {
	choice, pri := w.dice.IntN(100), w.dice.IntN(1000)
	if w.ledger.Counts().Living > enough {
		choice /= 2
	}
	switch {
	case choice < 60:
		w.end(h, history.Delete, "DELETED", "delete %d", h.id)
	case choice < 78:
		delay := max(0, w.dice.IntN(6)-3)
		w.end(h, history.Release, "RELEASED", "release %d %d %d", h.id, pri, delay)
	case choice < 90:
		w.end(h, history.Bury, "BURIED", "bury %d %d", h.id, pri)
	default:
		w.end(h, history.Touch, "TOUCHED", "touch %d", h.id)
		return false
	}
	return true
}

// end adds a command about a job, whose answer is a word or NOT_FOUND.
func (w *worker) end(h held, k history.Kind, yes, format string, args ...any) {
	w.add(after{func(r *client.Reply) {
		o := history.Unknown
		switch {
		case r == nil:
		case r.Word == yes:
			o = history.Done
		case r.Word == "NOT_FOUND":
			o = history.Refused
		default:
			w.strange(r)
		}
		w.ledger.End(h.job, w.conn, k, w.sent, h.id, o, r != nil)
	}, true}, format, args...)
}

// kick deals with buried jobs: it kicks them, or deletes them.
func (w *worker) kick() {
	for range 1 + w.dice.IntN(pipeline) {
		id, j := w.ledger.TakeBuried()
		if j == nil {
			return
		}
		if w.dice.IntN(3) == 0 {
			w.end(held{j, id}, history.Delete, "DELETED", "delete %d", id)
		} else {
			w.end(held{j, id}, history.Kick, "KICKED", "kick-job %d", id)
		}
	}
}
