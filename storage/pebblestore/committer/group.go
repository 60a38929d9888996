package committer

import (
	"beanfield/storage"
	"beanfield/storage/turns"
)

// Group is the turns that one record of the log carries, and their acks.
type Group struct {
	Buf  []byte // operations (package turns), also those of the turn under way
	acks []storage.Ack
	// Sealed is what buf held when its last complete turn ended. Other goroutines read it
	// under the committer's mutex while the owner appends, which never changes what is
	// there already.
	Sealed []byte
	Turns  int // that have written
}

// mostKept is how much memory an empty group keeps for the next turns.
const mostKept = 1 << 20

func (g *Group) Written() bool { return len(g.Sealed) != 0 }

func (g *Group) empty() bool { return !g.Written() && len(g.acks) == 0 }

// seal is called at the end of a turn that has written.
func (g *Group) seal() {
	g.Sealed = g.Buf
	g.Turns++
}

// reset leaves the slices for reuse, and the acks, which are yet to be told.
func (g *Group) reset() {
	if g.Buf = g.Buf[:0]; cap(g.Buf) > mostKept {
		g.Buf = nil
	}
	g.Sealed, g.Turns = nil, 0
}

// record finds the record of a job that a complete turn has put.
func (g *Group) record(id uint64) []byte {
	for b := g.Sealed; len(b) > 0; {
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
