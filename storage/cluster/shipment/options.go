package shipment

import (
	"errors"
	"os"
	"time"
)

// Options are those of both sides. What is not set has a default.
type Options struct {
	Rate    int64         // Offer: bytes per second; 0: as fast as it goes
	Idle    time.Duration // Offer: it ends when nobody has asked for so long
	Release func()        // Offer: the directory is not needed any more

	Silence time.Duration           // Fetch: it fails when nothing was heard for so long
	Accept  func(bytes int64) error // Fetch: may so much be written? It is asked before anything is
	Begun   func(note []byte)       // Order: the fetch begins; the note is its maker's
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
	// window is how many chunks may be under way. It is at most 64, the bits of an ask.
	window = 32
	// patience is how often a receiver asks again within Silence, before it gives up.
	patience = 20
	// hunger is how many times as long it waits if the sender is heard, but nothing comes.
	hunger = 10
)

func (o Options) filled() Options {
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Silence <= 0 {
		o.Silence = defaultSilence
	}
	if o.chunk <= 0 {
		o.chunk = defaultChunk
	}
	if o.Release == nil {
		o.Release = func() {}
	}
	if o.Accept == nil {
		o.Accept = func(int64) error { return nil }
	}
	if o.steps == nil {
		o.steps = func(string, string) {}
	}
	if o.sync == nil {
		o.sync = (*os.File).Sync
	}
	if o.Told == nil {
		o.Told = func(int64, int64) {}
	}
	return o
}

var (
	ErrClosed = errors.New("shipment: the offer was closed")
	ErrIdle   = errors.New("shipment: nobody has asked for it for long")
	ErrSilent = errors.New("shipment: nothing comes from the sending node")
	// ErrVersion says that the sending node has another version of the program.
	ErrVersion = errors.New("shipment: the other node's messages have an unknown version")
	ErrSender  = errors.New("shipment: the sending node has given up")
	ErrList    = errors.New("shipment: a list that cannot be right")
	ErrBroken  = errors.New("shipment: what came is not what was sent")
)
