package pebblestore

import (
	"beanfield/storage"
	"beanfield/storage/turns"
)

// group is the turns that one record of the log carries, and their acks.
type group struct {
	buf  []byte // operations (package turns), also those of the turn under way
	acks []storage.Ack
	// sealed is what buf held when its last complete turn ended. Other goroutines read it
	// under the committer's mutex while the owner appends, which never changes what is
	// there already.
	sealed []byte
	turns  int // that have written
}

// mostKept is how much memory an empty group keeps for the next turns.
const mostKept = mib

func (g *group) written() bool { return len(g.sealed) != 0 }

func (g *group) empty() bool { return !g.written() && len(g.acks) == 0 }

// seal is called at the end of a turn that has written.
func (g *group) seal() {
	g.sealed = g.buf
	g.turns++
}

// reset leaves the slices for reuse, and the acks, which are yet to be told.
func (g *group) reset() {
	if g.buf = g.buf[:0]; cap(g.buf) > mostKept {
		g.buf = nil
	}
	g.sealed, g.turns = nil, 0
}

// record finds the record of a job that a complete turn has put.
func (g *group) record(id uint64) []byte {
	for b := g.sealed; len(b) > 0; {
		op, n, err := turns.NextOp(b)
		if err != nil {
			panic(err) // this process has just made them
		}
		if op.Kind == turns.Put && op.ID == id {
			return op.Value
		}
		b = b[n:]
	}
	return nil
}
