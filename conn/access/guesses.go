package access

import (
	"net/netip"
	"sync"
	"time"
)

// Guesses counts the wrong tokens from each address, to answer those who try many later
// and later. Right tokens are never late: they are random and long, so nobody finds one by
// guessing fast, and an address may be that of a proxy or of a whole office. For the same reason
// only some wrong answers wait at a time, of one address and of all: those that wait hold
// connections, and a proxy may have few. The others are answered at once.
//
// The zero value is ready for use, by any goroutine.
type Guesses struct {
	Now func() time.Time // nil means time.Now

	mu      sync.Mutex
	by      map[netip.Prefix]*guesser
	waiting int // answers that wait
}

// guesser is what is known of an address.
type guesser struct {
	wrong   int
	last    time.Time
	waiting int // answers that wait
}

const (
	guessers     = 4096 // addresses that are remembered (A3)
	firstDelay   = 100 * time.Millisecond
	LongestDelay = 3 * time.Second
	guessMemory  = time.Minute // since the last one; then it has a clean record
	// How many answers wait at most, of one address and of all.
	mostWaiting    = 8
	mostWaitingAll = 512
)

// Wrong notes a wrong token, and returns how much later than usual to answer it: 0 if enough
// answers wait already. Otherwise Answered must be called when it has been answered.
func (g *Guesses) Wrong(addr netip.Addr) time.Duration {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	key := guesserOf(addr)
	e := g.by[key]
	if e == nil {
		e = g.admit(key)
	} else if now.Sub(e.last) >= guessMemory {
		e.wrong = 0
	}
	e.wrong++
	e.last = now
	if e.waiting >= mostWaiting || g.waiting >= mostWaitingAll {
		return 0
	}
	e.waiting++
	g.waiting++
	if e.wrong < 6 {
		return min(LongestDelay, firstDelay<<(e.wrong-1))
	}
	return LongestDelay
}

// Answered notes that an answer which had to wait waits no more.
func (g *Guesses) Answered(addr netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
	if e := g.by[guesserOf(addr)]; e != nil && e.waiting > 0 { // it may have been forgotten meanwhile
		e.waiting--
	}
}

// admit remembers an address. If there are too many, it forgets one that has been quiet for long.
func (g *Guesses) admit(key netip.Prefix) *guesser {
	if g.by == nil {
		g.by = map[netip.Prefix]*guesser{}
	}
	if len(g.by) >= guessers {
		g.forgetSome()
	}
	e := &guesser{}
	g.by[key] = e
	return e
}

// forgetSome makes room: it forgets those whose record is clean by now, otherwise the one that
// has been quiet for longest. It looks at only some of them (their order is random), so that each
// address of a flood from many costs little.
func (g *Guesses) forgetSome() {
	now := g.now()
	var quietest netip.Prefix
	var since time.Time
	looked := 0
	for key, e := range g.by {
		if now.Sub(e.last) >= guessMemory {
			delete(g.by, key)
		} else if since.IsZero() || e.last.Before(since) {
			quietest, since = key, e.last
		}
		if looked++; looked == 64 {
			break
		}
	}
	if len(g.by) >= guessers {
		delete(g.by, quietest)
	}
}

// guesserOf is what counts as one address: with IPv6 it is a network of 64 bits, because each
// client may have as many addresses as it likes in one.
func guesserOf(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap()
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // fails only for no address, whose key is the zero value
	return p
}

func (g *Guesses) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}
