package transfer

import (
	"cmp"
	"errors"
	"os"
	"time"
)

// Options are those of both sides. What is not set has a default.
type Options struct {
	Rate int64         // Serve: bytes per second of each snapshot; 0: as fast as it goes
	Idle time.Duration // Serve: a snapshot is given up when nobody has asked for so long

	Silence time.Duration           // Fetch: it fails when nothing was heard for so long
	Accept  func(bytes int64) error // Fetch: may so much be written? It is asked before anything is
	Begun   func(note []byte)       // Fetch: the files are about to come; the note is their maker's
	Told    func(done, total int64) // Fetch: how many bytes of the files have come

	chunk int                     // the size of a chunk
	steps func(what, name string) // is told what is about to happen on the disk
	sync  func(*os.File) error    // syncs a file or directory
}

const (
	defaultIdle    = time.Minute
	defaultSilence = 10 * time.Second
	// defaultChunk is small enough that what else goes between the nodes has its turn soon.
	defaultChunk = 128 << 10
	// syncEach is how many bytes of a file a receiver writes between syncs.
	syncEach = 8 << 20
	// credit is what a sender may be behind with, because of its timers, and still send at Rate.
	credit = 100 * time.Millisecond
	// largestChunk is what a receiver takes.
	largestChunk = 4 << 20
	// window is how many chunks may be under way.
	window = 32
	// patience is how often a receiver asks again within Silence, before it gives up.
	patience = 20
	// hunger is how many times as long it waits if the sender is heard, but nothing comes.
	hunger = 10
)

func (o Options) filled() Options {
	o.Idle, o.Silence, o.chunk = cmp.Or(o.Idle, defaultIdle), cmp.Or(o.Silence, defaultSilence),
		cmp.Or(o.chunk, defaultChunk)
	if o.Accept == nil {
		o.Accept = func(int64) error { return nil }
	}
	if o.Begun == nil {
		o.Begun = func([]byte) {}
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

// takes is for how long so many bytes use up the rate.
func (o Options) takes(bytes int) time.Duration {
	if o.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(bytes) / float64(o.Rate) * float64(time.Second))
}

var (
	ErrClosed = errors.New("transfer: the sending node is stopping")
	ErrIdle   = errors.New("transfer: nobody has asked for it for long")
	ErrSilent = errors.New("transfer: nothing comes from the sending node")
	// ErrVersion says that the sending node has another version of the program.
	ErrVersion = errors.New("transfer: the other node's messages have an unknown version")
	ErrSender  = errors.New("transfer: the sending node has given up")
	ErrList    = errors.New("transfer: a list that cannot be right")
)
