package access

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Guesses counts the wrong tokens from each address, to answer those who try many later
// and later. After too many, an answer to a right token is late too: otherwise whoever guesses
// many tokens at once could hang up on those that are not answered at once.
//
// Nobody is refused, because an address may be that of a proxy, or of a whole office, and one
// guesser there could lock out all others. Clients of unix sockets have no address, and their
// right tokens are never late.
//
// The zero value is ready for use, by any goroutine.
type Guesses struct {
	Now func() time.Time // nil means time.Now

	known atomic.Int64 // addresses in by: without any, nobody needs the lock
	mu    sync.Mutex
	by    map[netip.Prefix]*guesser
}

// guesser is what is known of an address.
type guesser struct {
	wrong int
	last  time.Time
}

const (
	guessers     = 4096 // addresses that are remembered (A3)
	firstDelay   = 100 * time.Millisecond
	LongestDelay = 3 * time.Second
	mostGuesses  = 20          // then right tokens from an address are answered late too
	guessMemory  = time.Minute // since the last one; then it has a clean record
)

// Right returns how much later than usual to answer a right token.
func (g *Guesses) Right(addr netip.Addr) time.Duration {
	if g.known.Load() == 0 || !addr.IsValid() {
		return 0
	}
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.by[guesserOf(addr)]
	if e == nil || e.wrong < mostGuesses || now.Sub(e.last) >= guessMemory {
		return 0
	}
	return LongestDelay
}

// Wrong notes a wrong token, and returns how much later than usual to answer it.
func (g *Guesses) Wrong(addr netip.Addr) time.Duration {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	key := guesserOf(addr)
	e := g.by[key]
	if e == nil {
		e = g.admit(key, now)
	} else if now.Sub(e.last) >= guessMemory {
		e.wrong = 0
	}
	e.wrong++
	e.last = now
	delay := LongestDelay
	if e.wrong < 6 {
		delay = min(delay, firstDelay<<(e.wrong-1))
	}
	return delay
}

// admit remembers an address. If there are too many, it forgets one that has been quiet for long.
func (g *Guesses) admit(key netip.Prefix, now time.Time) *guesser {
	if g.by == nil {
		g.by = map[netip.Prefix]*guesser{}
	}
	if len(g.by) >= guessers {
		g.forgetSome(now)
	}
	e := &guesser{}
	g.by[key] = e
	g.known.Store(int64(len(g.by)))
	return e
}

// forgetSome makes room: it forgets those whose record is clean by now, otherwise the one that
// has been quiet for longest. It looks at only some of them (their order is random), so that each
// address of a flood from many costs little.
func (g *Guesses) forgetSome(now time.Time) {
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
