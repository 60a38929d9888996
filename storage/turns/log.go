package turns

import "errors"

// Log is where the turns of a shard are, in order, until its store has them. The one in files of
// this machine is package locallog's.
type Log interface {
	// Append appends turns, and returns the number of their last record, and where they are.
	// ErrNoSpace of package storage says that the store must catch up first.
	Append(b []byte) (number uint64, at At, err error)
	// Sync makes durable what has been appended.
	Sync() error
	// Synced is the number of the last record that is known to be durable.
	Synced() uint64
	// Place is that of the last record.
	Place() Place
	// ReadAt reads what was appended at a place; ErrGone says that it was trimmed.
	ReadAt(at At, b []byte) error
	// Reader reads all turns behind the store's place.
	Reader() Reader
	// Segments are what Trim frees, the oldest first.
	Segments() []Segment
	// Trim frees what has numbers up to this one.
	Trim(number uint64)
	// Used says how much of its bound the log takes; Prepare makes room ahead.
	Used() (slots, of int)
	Prepare() error
	// Size is what the log takes on the disk.
	Size() int64
	Close() error
}

// Reader reads a log, one append after the other.
type Reader interface {
	// Next returns the next turns, where they are, and the place behind them. If ok is false
	// without an error, there is nothing more to read now. The bytes are valid until the next
	// call.
	Next() (b []byte, at At, behind Place, ok bool, err error)
	// Place is where the reader is; SkipTo has it go on behind another place.
	Place() Place
	SkipTo(behind Place)
}

// Segment is a part of a log that is freed as a whole.
type Segment struct {
	Seq    uint32 // as in the At of the turns in it
	First  uint64 // the number of the first record in it
	Behind Place  // of the last turns that end in it, or before it if none do
}

// ErrGone says that the store has had the turns, and the log has freed them.
var ErrGone = errors.New("storage: the log does not have these turns any more")
