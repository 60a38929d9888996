package node

import (
	"errors"
	"log/slog"
	"time"

	"beanfield/router"
	"beanfield/storage/pebblestore"
)

const (
	// warmEvery is how often a warm follower makes up for what has changed. So little is left to
	// do when it takes over.
	warmEvery = 200 * time.Millisecond
	// anewRest is how many times as long as the last replay took a follower rests before the next one,
	// where more changes than can be made up for.
	anewRest = 4
)

// warm has a router made ready on a node's copies while another node serves. It costs the memory that
// serving costs.
type warm struct {
	copies  *pebblestore.Replicas
	options router.Options
	log     *slog.Logger
	stop    chan struct{}
	ended   chan struct{}

	// Of the goroutine until it has ended.
	store  *pebblestore.Prepared
	router *router.Prepared // nil while none is ready
}

func newWarm(copies *pebblestore.Replicas, o router.Options, log *slog.Logger) *warm {
	w := &warm{copies: copies, options: o, log: log, stop: make(chan struct{}), ended: make(chan struct{})}
	go w.run()
	return w
}

// run ends with a router that is ready, or without one.
func (w *warm) run() {
	defer close(w.ended)
	for {
		began := time.Now()
		if !w.prepare() {
			return
		}
		took := time.Since(began)
		if w.router != nil && !w.keepUp() {
			return
		}
		if !w.pause(max(warmEvery, anewRest*took)) {
			return
		}
	}
}

// prepare makes a router ready, if it can now. It says whether to go on.
func (w *warm) prepare() (goOn bool) {
	w.store = w.copies.Prepare()
	var err error
	if w.router, err = router.Prepare(w.options, w.store); err != nil {
		w.router = nil // and its store is closed
		w.log.Info("the jobs of this node's copies cannot be kept ready now", "error", err)
	}
	return w.pause(0)
}

// keepUp follows what changes. It says whether to begin anew; otherwise it was told to stop.
func (w *warm) keepUp() (anew bool) {
	for w.pause(warmEvery) {
		if err := w.router.CatchUp(); err != nil {
			if !errors.Is(err, router.ErrAnew) {
				w.log.Info("the jobs of this node's copies cannot be kept ready now", "error", err)
			}
			w.discard()
			return true
		}
	}
	return false
}

// discard throws away what is ready.
func (w *warm) discard() {
	if w.router == nil {
		return
	}
	if err := w.router.Close(); err != nil {
		w.log.Info("closing what was kept ready", "error", err)
	}
	w.router = nil
}

// pause waits, and says whether to go on.
func (w *warm) pause(d time.Duration) bool {
	select {
	case <-w.stop:
		return false
	default:
	}
	if d == 0 {
		return true
	}
	select {
	case <-w.stop:
		return false
	case <-time.After(d):
		return true
	}
}

// end stops it.
func (w *warm) end() {
	close(w.stop)
	<-w.ended
}

// take is the router, when this node owns the shards; nil if none is ready. The warm one must have been ended.
func (w *warm) take(up func(shard int) pebblestore.Upstream) *router.Router {
	if w.router == nil {
		return nil
	}
	w.store.Own(up)
	r, err := w.router.Begin()
	if err != nil {
		w.log.Info("the jobs that were kept ready cannot be used", "error", err)
		w.discard()
		return nil
	}
	w.router = nil
	return r
}
