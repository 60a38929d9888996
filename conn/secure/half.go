package secure

import (
	"container/list"
	"crypto"
	"crypto/tls"
	"io"
	"sync"

	"beanfield/storage/pace"
)

// Half is a handshake that is under way.
type Half struct {
	certs *Certificates
	drop  func()
	state halfState     // the line's, under its lock
	place *list.Element // in line.waiting; nil if it is not there
}

type halfState uint8

const (
	waits   halfState = iota // for its client
	works                    // has a slot, or waits for one
	leaves                   // has been dropped
	hasLeft                  // has been made, has failed, or has been given up
)

// Begin counts a handshake, which waits for its client's first bytes. If there are too many, it
// calls drop of the one that has waited for its client longest. drop must not block, and must
// see to it that the handshake soon ends: by End, or because Make returns.
func (c *Certificates) Begin(drop func()) *Half {
	h := &Half{certs: c, drop: drop}
	if victim := c.keeper.line.begin(h); victim != nil {
		victim.drop()
	}
	return h
}

// Make makes the handshake, in a slot. While it waits for its client, its socket calls
// Pause.
func (h *Half) Make(t *tls.Conn) error {
	k := h.certs.keeper
	k.enter(h)
	err := t.Handshake()
	k.leave()
	switch dropped := k.line.end(h); {
	case err == nil:
		k.made.Add(1)
	case !dropped:
		k.failed.Add(1)
		k.log.Debug("a TLS handshake has failed", "error", err)
	}
	return err
}

// Pause gives the slot to others while wait waits.
func (h *Half) Pause(wait func()) {
	k := h.certs.keeper
	k.leave()
	k.line.wait(h)
	wait()
	k.enter(h)
}

// End says that the handshake will not be made. Make says so itself.
func (h *Half) End() { h.certs.keeper.line.end(h) }

// enter takes a slot for a handshake.
func (k *Keeper) enter(h *Half) {
	k.line.work(h)
	k.slots <- struct{}{}
}

// leave gives the slot to the next handshake, and lets others have the processor. Otherwise,
// while handshakes follow each other, their thread never sleeps, and the kernel may keep other
// threads waiting for the same processor until its time slice ends.
func (k *Keeper) leave() {
	<-k.slots
	pace.StepBack()
}

// considerate is the key of a certificate that lets others have the processor before each
// signature: that is half of the work of a handshake, and nearly all of it with RSA.
type considerate struct{ crypto.Signer }

// Sign implements crypto.Signer.
func (s considerate) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	pace.StepBack()
	return s.Signer.Sign(r, digest, opts)
}

// Room returns nil if there is room for new handshakes, otherwise a channel that is closed
// as soon as there is. Whoever lets clients in waits for it, so that handshakes which cannot
// be computed yet wait in the kernel, where they take the least.
func (c *Certificates) Room() <-chan struct{} { return c.keeper.Room() }

// Room is that of all its certificates.
func (k *Keeper) Room() <-chan struct{} { return k.line.room() }

// line has all handshakes that are under way.
type line struct {
	mu      sync.Mutex
	most    int       // T3
	count   int       // of those that are not leaving
	waiting list.List // of those that wait for their clients, the longest first
	working int
	full    chan struct{} // nil unless too many are working
	dropped uint64
}

// More than fullAt handshakes that want slots keep the slots busy anyway. Room is made when
// roomAt are left.
const (
	fullAt = 64
	roomAt = 32
)

// begin returns whom to drop, if anybody.
func (l *line) begin(h *Half) (victim *Half) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	h.place = l.waiting.PushBack(h)
	if l.count > l.most { // somebody waits: h does
		victim = l.waiting.Front().Value.(*Half)
		l.take(victim)
		victim.state = leaves
		l.count--
		l.dropped++
	}
	return victim
}

// take takes a handshake from where it is counted.
func (l *line) take(h *Half) {
	switch h.state {
	case waits:
		l.waiting.Remove(h.place)
		h.place = nil
	case works:
		l.working--
		if l.full != nil && l.working <= roomAt {
			close(l.full)
			l.full = nil
		}
	}
}

func (l *line) wait(h *Half) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.state == works {
		l.take(h)
		h.state, h.place = waits, l.waiting.PushBack(h)
	}
}

func (l *line) work(h *Half) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.state == waits {
		l.take(h)
		h.state = works
		if l.working++; l.working >= fullAt && l.full == nil {
			l.full = make(chan struct{})
		}
	}
}

// end takes a handshake out of the line. It reports whether it had been dropped.
func (l *line) end(h *Half) (dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dropped = h.state == leaves
	if h.state < leaves {
		l.take(h)
		l.count--
		h.state = hasLeft
	}
	return dropped
}

func (l *line) room() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full
}
