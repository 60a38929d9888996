package lanes

// lane is what a node knows of one of the two lanes.
type lane struct {
	place  uint64  // every record up to here has been read, or was answered
	newest uint64  // the epoch of the last of them
	behind bool    // it must be read on before something is appended
	mine   bool    // the record of this node's own epoch is on it
	ahead  []Entry // read, but a number before them is still missing
	top    uint64  // the highest number on it so far
	marks  []mark
	stride uint64 // places between marks, at least
	asked  uint64 // the request under way; 0 if there is none
	adding []byte // what that appends; nil if it reads
}

// mark says that the records up to a place have no higher number.
type mark struct{ seq, number uint64 }

// mostMarks bounds what a lane remembers for purges. Beyond it each second mark goes, and then
// fewer are made, so that a purge takes a little less than it might.
var mostMarks = 1024

// pass goes on to the place of an entry that is known.
func (l *lane) pass(e *Entry) {
	l.place, l.newest = e.Seq, e.Record.Epoch
	l.top = max(l.top, e.Record.Number) // an epoch's record has none
	if n := len(l.marks); n > 0 && e.Seq-l.marks[n-1].seq < l.stride {
		return
	}
	if l.marks = append(l.marks, mark{e.Seq, l.top}); len(l.marks) > mostMarks {
		for i := range mostMarks / 2 {
			l.marks[i] = l.marks[2*i]
		}
		l.marks = l.marks[:mostMarks/2]
		l.stride = max(1, l.stride) * 2
	}
}

// purgeable is the place up to which records have numbers up to this one, and are not the last of
// the lane; 0 if there is none. The marks before that place are forgotten.
func (l *lane) purgeable(number uint64) (seq uint64) {
	gone := 0
	for i, m := range l.marks {
		if m.number > number || m.seq >= l.place {
			break
		}
		seq, gone = m.seq, i
	}
	if l.marks = append(l.marks[:0], l.marks[gone:]...); len(l.marks) < mostMarks/4 {
		l.stride = 0
	}
	return seq
}
