package transfer

import (
	"cmp"
	"errors"
	"os"
	"time"
)

// Options are those of both sides.
type Options struct {
	Accept func(bytes int64) error // Fetch: may so much be written? It is asked before anything is; nil: it may
	Told   func(done, total int64) // Fetch: how many bytes have come; nil: nobody is told

	rate  int64                   // bytes per second of each snapshot
	chunk int64                   // the size of a chunk
	steps func(what, name string) // is told what is about to happen on the disk
	sync  func(*os.File) error    // syncs a file or directory
}

const (
	// Silence is how long nothing may come until a fetch fails, and how long nobody may ask until a snapshot is given
	// up.
	Silence = 10 * time.Second
	// defaultChunk is small enough that what else goes between the nodes has its turn soon.
	defaultChunk = 128 << 10
	defaultRate  = 100 << 20
	// syncEach is how many bytes of a file a receiver writes between syncs.
	syncEach = 8 << 20
	// credit is what a sender may be behind with, because of its timers, and still send at its rate.
	credit = 100 * time.Millisecond
	// largestChunk is what a receiver takes.
	largestChunk = 4 << 20
	// window is how many chunks may be under way.
	window = 32
)

func (o Options) filled() Options {
	o.chunk, o.rate = cmp.Or(o.chunk, defaultChunk), cmp.Or(o.rate, defaultRate)
	if o.Accept == nil {
		o.Accept = func(int64) error { return nil }
	}
	if o.Told == nil {
		o.Told = func(int64, int64) {}
	}
	if o.steps == nil {
		o.steps = func(string, string) {}
	}
	if o.sync == nil {
		o.sync = (*os.File).Sync
	}
	return o
}

var (
	ErrClosed = errors.New("transfer: the sending node is stopping")
	ErrSilent = errors.New("transfer: nothing comes from the sending node")
	// ErrVersion says that the sending node has another version of the program.
	ErrVersion = errors.New("transfer: the other node's messages have an unknown version")
	ErrSender  = errors.New("transfer: the sending node has given up")
	ErrList    = errors.New("transfer: a list that cannot be right")
)
