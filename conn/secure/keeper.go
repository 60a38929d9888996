package secure

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Keeper keeps the certificates of all listeners up to date, and bounds how many
// handshakes are computed at once.
type Keeper struct {
	log   *slog.Logger
	slots chan struct{} // T2
	line  line

	mu  sync.Mutex
	all []*Certificates

	made, failed atomic.Uint64
}

// NewKeeper makes a keeper of certificates. They must have no other keeper.
func NewKeeper(log *slog.Logger, all ...*Certificates) *Keeper {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	k := &Keeper{log: log, slots: make(chan struct{}, defaultSlots()), all: all}
	k.line.most = MostHandshakes
	for _, c := range all {
		c.keeper = k
	}
	return k
}

// defaultSlots is how many handshakes are computed at once: one for every four processors.
// The rest is for clients that are connected already. A slot makes some three thousand
// handshakes a second.
func defaultSlots() int { return max(1, runtime.GOMAXPROCS(0)/4) }

// Every is how often the files are read: rarely enough to cost nothing, and often enough
// that nobody has to wait long for a new certificate.
const Every = 5 * time.Second

// Watch reads the files every few seconds until ctx ends.
func (k *Keeper) Watch(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		k.look(false)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Reload reads the files now. What cannot be used is logged, even if it has been before.
func (k *Keeper) Reload() { k.look(true) }

func (k *Keeper) look(asked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.all {
		changed, err := c.refresh()
		switch {
		case err == nil && changed:
			k.replaced(c)
		case err != nil && (changed || asked):
			k.keeps(err)
		}
		c.complain(k.log, time.Now())
	}
}

// Check says why what has just been read must not replace what a listener has, as a *FileError.
func (k *Keeper) Check(c, read *Certificates) error {
	return c.outlives(read.current.Load(), read.opts)
}

// Exchange replaces what a listener has by what has just been read for it, perhaps from other
// files. If nothing is different, session tickets stay valid.
func (k *Keeper) Exchange(c, read *Certificates) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.opts == read.opts && c.tried == read.tried {
		return
	}
	if err := c.outlives(read.current.Load(), read.opts); err != nil {
		k.keeps(err)
		return
	}
	c.opts, c.tried, c.wrong = read.opts, read.tried, nil
	c.current.Store(read.current.Load())
	k.replaced(c)
	c.complain(k.log, time.Now())
}

// keeps says why a listener has no new certificate.
func (k *Keeper) keeps(err error) {
	k.log.Error("a certificate cannot be replaced: the old one stays in use", "error", err)
}

// replaced says that a listener has a new certificate.
func (k *Keeper) replaced(c *Certificates) {
	leaf := c.current.Load().leaf
	k.log.Info("a certificate has been replaced", "cert", c.opts.Cert, "subject", leaf.Subject.String(), "expires",
		leaf.NotAfter)
}

// MostHandshakes is how many handshakes may be under way unless Limit says otherwise.
const MostHandshakes = 1000

// Limit sets how many handshakes may be under way at once.
func (k *Keeper) Limit(most int) {
	k.line.mu.Lock()
	defer k.line.mu.Unlock()
	k.line.most = most
}

// Counts are how many handshakes there have been, by their outcome.
type Counts struct {
	Made, Failed uint64
	Dropped      uint64 // because too many others were under way
	Now          int    // under way
}

// Counts counts.
func (k *Keeper) Counts() Counts {
	k.line.mu.Lock()
	defer k.line.mu.Unlock()
	return Counts{k.made.Load(), k.failed.Load(), k.line.dropped, k.line.count}
}

// Plain says that a handshake has failed because the client does not speak TLS at all.
func Plain(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header) && header.Conn != nil
}
