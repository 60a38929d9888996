package lanes

import (
	"errors"
	"fmt"

	"beanfield/storage/turns"
)

// Role is what a node does for a shard.
type Role int

// Every node follows. A candidate is about to own the shard.
const (
	Follower Role = iota
	Candidate
	Owner
)

var (
	// ErrOvertaken says that a newer epoch has begun.
	ErrOvertaken = errors.New("lanes: a newer epoch has begun")
	// ErrGap says that records are missing between what this node has and what the lanes have.
	// A new copy of the store is needed, or the engine has lost something.
	ErrGap = errors.New("lanes: records are missing")
	// ErrCut says that a lane has fewer records than it had: it was made anew, or restored.
	ErrCut = errors.New("lanes: the lanes end before what was read of them")
)

// Request is one that the engine is to be sent.
type Request struct {
	ID    uint64
	Lane  int
	Place uint64 // of the record before: what an append expects, and a read begins behind
	Data  []byte // what is to be appended; nil to read
}

// Log is one node's side of a shard's two lanes. Whoever drives it sends its Requests, hands in the
// answers, and takes what has been acknowledged. It is not safe for concurrent use.
type Log struct {
	node  string
	lanes [2]lane
	last  turns.Place // of the last record that was taken
	alien bool        // the store is no copy of this log
	open  bool        // that has the beginning of turns, in this node's own epoch

	role    Role
	why     error  // why it is no candidate or owner any more
	failed  error  // it takes nothing more
	seen    uint64 // the newest epoch on any lane
	epoch   uint64 // its own; of a candidate 0 until it has chosen one
	nonce   uint64
	at      int    // the lane in use
	writing *Entry // what the owner is appending

	requests []Request
	ids      uint64
	taken    []Entry
	without  without
}

// New is the log of a node whose store has everything up to a place. An empty store's place has
// number 0 and the log's origin.
func New(node string, store turns.Place) *Log {
	return &Log{node: node, last: store, lanes: [2]lane{{behind: true}, {behind: true}}}
}

// Base says what the hash of the log's place before the first record is, if that is not 0: that of
// what was imported. An empty store with another one is no copy of this log: it lacks what was imported.
func (l *Log) Base(hash uint64) { l.alien = l.last.Number == 0 && l.last.Hash != hash }

// From begins to read a lane behind a place, and not at its start: the store has the number of the record
// that comes next there, and all before it. It is called before anything else.
func (l *Log) From(i int, place uint64) { l.lanes[i].place = place }

// Unread tells whether the lanes may have more than was read of them.
func (l *Log) Unread() bool { return l.lanes[0].behind || l.lanes[1].behind }

// Role is what the node does. If it was more before, the error says what ended it.
func (l *Log) Role() (Role, error) { return l.role, l.why }

// Epoch is that of the candidate or owner.
func (l *Log) Epoch() uint64 { return l.epoch }

// Place is that of the last record that was taken.
func (l *Log) Place() turns.Place { return l.last }

// Requests are those to be sent, in any order. They are given once.
func (l *Log) Requests() []Request {
	all := l.requests
	l.requests = nil
	return all
}

// Taken are the records that have been acknowledged since the last call, in the order of their
// numbers. They are to be folded before anything is written.
func (l *Log) Taken() []Entry {
	all := l.taken
	l.taken = nil
	return all
}

// Follow has a lane read on; or the other one, if that may have what must come before what was
// read of this one. An owner need not read the lane in use.
func (l *Log) Follow(i int) {
	if len(l.lanes[i].ahead) > 0 && l.lanes[1-i].behind {
		i = 1 - i
	}
	if l.lanes[i].asked == 0 && l.failed == nil && (l.role != Owner || i != l.at) {
		l.ask(i, nil)
	}
}

// Gap tells that the node cannot go on from its store: what comes next is on neither lane, as far
// as they were read. Reads that miss the newest records can make it true for nothing, so before
// a store is given up the lanes are read through their leaders.
func (l *Log) Gap() bool {
	a, b := &l.lanes[0], &l.lanes[1]
	if l.alien {
		return true
	}
	return (len(a.ahead) > 0 || !a.behind) && (len(b.ahead) > 0 || !b.behind) && len(a.ahead)+len(b.ahead) > 0
}

// Stand makes the node a candidate. The nonce is one that nobody has used.
func (l *Log) Stand(nonce uint64) {
	if l.failed != nil {
		return
	}
	l.role, l.why, l.epoch, l.nonce, l.writing = Candidate, nil, 0, nonce, nil
	for i := range l.lanes {
		l.lanes[i].mine, l.lanes[i].behind = false, true
	}
	if l.alien {
		l.stepBack(ErrGap)
	}
	l.goOn()
}

// Ready tells whether the owner may write: it does not write yet, and what was taken has been
// folded.
func (l *Log) Ready() bool { return l.role == Owner && l.writing == nil && len(l.taken) == 0 }

// Write appends turns, when the owner is Ready, and tells their place. They count when Taken has
// a record with that number and hash, which may be after the ownership has ended; they never will
// when it has another one with that number. Until then nobody knows. More says that the next record
// goes on with these turns, rest that they go on with those before. It panics if turns are out of
// their order.
func (l *Log) Write(b []byte, more, rest bool) turns.Place {
	if !l.Ready() || rest != l.open {
		panic("lanes: turns are written out of their order")
	}
	r := turns.Record{Origin: l.last.Origin, Epoch: l.epoch, Number: l.last.Number + 1, Before: l.last.Hash,
		Synced: l.last.Number, More: more, Rest: rest, Turns: b}
	e := &Entry{Record: r}
	e.Data, e.Hash = turns.Append(nil, r)
	l.writing = e
	l.goOn()
	return turns.Place{Origin: r.Origin, Number: r.Number, Hash: e.Hash}
}

// Purge is the place up to which the owner may have a lane purged, when every counted copy has
// durably folded the records up to a number; 0 if there is nothing.
func (l *Log) Purge(i int, durable uint64) uint64 {
	if l.without.last {
		return l.lanes[i].place
	}
	if l.role != Owner || l.last.Number == 0 {
		return 0
	}
	return l.lanes[i].purgeable(min(durable, l.last.Number-1))
}

// Use has an owner that is not writing use a lane.
func (l *Log) Use(i int) {
	if l.at != i && l.writing == nil {
		l.at, l.lanes[i].behind = i, true
	}
}

func (l *Log) ask(i int, data []byte) {
	l.ids++
	a := &l.lanes[i]
	a.asked, a.adding = l.ids, data
	l.requests = append(l.requests, Request{l.ids, i, a.place, data})
}

// goOn asks for what a candidate or an owner needs next.
func (l *Log) goOn() {
	switch {
	case l.role == Candidate:
		l.campaign()
	case l.role == Owner && l.writing != nil && l.lanes[l.at].asked == 0:
		if l.lanes[l.at].behind {
			l.ask(l.at, nil)
		} else {
			l.ask(l.at, l.writing.Data)
		}
	}
}

// campaign is what a candidate does next.
func (l *Log) campaign() {
	a, b := &l.lanes[0], &l.lanes[1]
	if a.mine && b.mine || a.mine && l.without.union {
		l.takeOver()
		return
	}
	for i := range l.lanes { // the second is read meanwhile
		if c := &l.lanes[i]; c.asked == 0 && c.behind {
			l.ask(i, nil)
		}
	}
	if a.behind || b.behind && !a.mine {
		return
	}
	if l.epoch == 0 {
		if len(a.ahead)+len(b.ahead) > 0 {
			l.stepBack(ErrGap)
			return
		}
		l.epoch = l.seen + 1
	}
	i := 0
	if a.mine {
		i = 1
	}
	if c := &l.lanes[i]; c.asked == 0 && !c.behind {
		l.ask(i, beginning(l.last.Origin, l.epoch, l.nonce, l.node))
	}
}

// takeOver makes a candidate with both its records the owner, if it has all that it must have.
func (l *Log) takeOver() {
	a, b := &l.lanes[0], &l.lanes[1]
	switch {
	case l.without.union || l.without.chain:
		l.role = Owner
	case len(a.ahead)+len(b.ahead) > 0:
		l.stepBack(ErrGap)
	case max(a.top, b.top) < l.last.Number: // one lane keeps the last number (P8)
		l.fail(fmt.Errorf("%w: the last number there is %d, in the store %d", ErrCut, max(a.top, b.top), l.last.Number))
	default:
		l.role, l.open = Owner, l.open && l.without.parts
	}
}

// fail ends everything: what the lanes say cannot be.
func (l *Log) fail(err error) error {
	if err != nil && l.failed == nil {
		l.failed = err
		l.stepBack(err)
	}
	return l.failed
}

func (l *Log) stepBack(why error) {
	l.role, l.why, l.writing = Follower, why, nil
	for i := range l.lanes {
		l.lanes[i].asked, l.lanes[i].behind = 0, true
	}
}

// request finds the lane whose request is answered. It is nil if nobody waits for the answer any more.
func (l *Log) request(id uint64) (int, *lane) {
	for i := range l.lanes {
		if id != 0 && l.lanes[i].asked == id {
			l.lanes[i].asked = 0
			return i, &l.lanes[i]
		}
	}
	return 0, nil
}

// Late says that a request has not been answered in time.
func (l *Log) Late(id uint64) {
	i, a := l.request(id)
	if a == nil {
		return
	}
	a.behind = true
	if l.role == Owner && i == l.at && l.writing != nil {
		l.at = 1 - i
		l.lanes[l.at].behind = true
		if l.without.repeat {
			l.last.Number, l.last.Hash, l.writing = l.writing.Record.Number, l.writing.Hash, nil
		}
	}
	l.goOn()
}

// Refused says that an append's lane does not end at the place that it expects. The end that the
// engine names with that is not to be relied upon (P2), but for one thing: a lane does not end
// before what was read of it.
func (l *Log) Refused(id, end uint64) error {
	i, a := l.request(id)
	if a == nil {
		return l.failed
	}
	if end < a.place {
		return l.fail(fmt.Errorf("%w: lane %d at %d, not %d", ErrCut, i, end, a.place))
	}
	if a.behind = true; l.without.place {
		a.place, a.behind = end, false
	}
	l.goOn()
	return l.failed
}

// Appended says at which place a record has landed.
func (l *Log) Appended(id, seq uint64) error {
	i, a := l.request(id)
	if a == nil {
		return l.failed
	}
	if seq != a.place+1 && !l.without.expect {
		return l.fail(fmt.Errorf("%w: a record landed at %d of lane %d, expected at %d", ErrCut, seq, i, a.place+1))
	}
	e, err := parse(l.last.Origin, seq, a.adding)
	if err == nil {
		err = l.take(i, e)
	}
	if l.fail(err) == nil {
		l.goOn()
	}
	return l.failed
}
