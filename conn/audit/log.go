package audit

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

// Log writes events. A nil one writes nothing.
type Log struct {
	log    *slog.Logger
	queue  chan Event
	next   chan io.WriteCloser // from Reopen
	ending chan struct{}       // closed by Close
	ended  chan struct{}       // closed when all has been written
	lost   atomic.Uint64

	// The writer's:
	file   io.WriteCloser
	broken bool      // the last line in the file is not whole
	told   uint64    // of lost, what has been written down
	warned time.Time // when the server's log last said that something is lost
}

// queued bounds the events that wait to be written: a few hundred kilobytes.
const queued = 4096

// warnEvery is how often the server's log says that events are lost.
const warnEvery = time.Minute

// New makes a log that writes to a file, which it closes in the end.
func New(file io.WriteCloser, log *slog.Logger) *Log {
	l := &Log{
		log: log, queue: make(chan Event, queued), next: make(chan io.WriteCloser, 1),
		ending: make(chan struct{}), ended: make(chan struct{}), file: file,
	}
	go l.write()
	return l
}

// Tell notes an event. It never waits (J1).
func (l *Log) Tell(e Event) {
	if l == nil {
		return
	}
	e.Time = time.Now().UTC()
	select {
	case l.queue <- e:
	default:
		l.lost.Add(1)
	}
}

// Lost is how many events have been lost.
func (l *Log) Lost() uint64 {
	if l == nil {
		return 0
	}
	return l.lost.Load()
}

// Reopen has the log go on in another file, and does not wait until it does. Only one
// goroutine may call it.
func (l *Log) Reopen(file io.WriteCloser) {
	select {
	case unused := <-l.next:
		unused.Close()
	default:
	}
	l.next <- file
}

// Close writes what is left, and closes the file. It waits for that until ctx ends. Nobody may
// tell anything any more.
func (l *Log) Close(ctx context.Context) error {
	if l == nil {
		return nil
	}
	close(l.ending)
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
