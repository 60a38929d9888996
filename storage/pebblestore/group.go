package pebblestore

import (
	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// group is the turns that are applied at once: their records, in batches for Pebble,
// and their acks. There is one batch, unless it grew too large.
type group struct {
	full  []fullBatch // take no more
	batch *pebble.Batch
	acks  []storage.Ack
	// sealed is what the batch held when its last complete turn ended. Other
	// goroutines read it under the committer's mutex while the owner appends, which
	// never changes what is there already.
	sealed []byte
	maxID  uint64 // highest id put, 0 for none
	turns  int    // that have written
	// newer says that the directory must have queueFormat before the group is applied.
	newer bool
}

type fullBatch struct {
	batch *pebble.Batch
	repr  []byte
}

func (g *group) written() bool { return len(g.sealed) != 0 || len(g.full) != 0 }

func (g *group) empty() bool { return !g.written() && len(g.acks) == 0 }

// seal is called at the end of a turn that has written.
func (g *group) seal() {
	g.sealed = g.batch.Repr()
	g.turns++
}

// cut goes on with another batch: one may not get larger than Pebble takes.
func (g *group) cut(next *pebble.Batch) {
	g.full = append(g.full, fullBatch{batch: g.batch, repr: g.batch.Repr()})
	g.sealed = nil
	g.batch = next
}

// reset leaves the slices for reuse, and the acks, which are yet to be told.
func (g *group) reset() {
	g.full = nil
	g.batch.Reset()
	g.sealed = nil
	g.maxID, g.turns = 0, 0
	g.newer = false
}
