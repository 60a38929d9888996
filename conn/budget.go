package conn

import (
	"net/netip"
	"sync"
)

// Budget bounds what clients hold together, in bytes. One client, whatever its connections, may hold as much as is
// still free then: at most half, and something is left for others.
type Budget struct {
	mu         sync.Mutex
	most, held int64
	of         map[Peer]int64 // what each client holds; see host
}

// UsualBudget is for bodies that are arriving at a front end, and the like.
const UsualBudget = 256 << 20

// uncounted is how much of a share is not counted, so that usual puts have room in any case. The limit on
// connections bounds it.
const uncounted = 64 << 10

// Bound sets how much may be held. What is held already stays.
func (r *Budget) Bound(most int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = most
}

// Held is how much is held.
func (r *Budget) Held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}

// add reports whether there is room for n bytes more of a client, or of nobody in particular.
func (r *Budget) add(n int64, client *Peer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.most - r.held - n; n > 0 && (left < 0 || client != nil && r.of[*client]+n > left) {
		return false
	}
	r.held += n
	if client != nil {
		if r.of == nil {
			r.of = map[Peer]int64{}
		}
		if r.of[*client] += n; r.of[*client] == 0 {
			delete(r.of, *client)
		}
	}
	return true
}

// Share is what one body, or one answer, holds of a budget.
type Share struct {
	Of         *Budget
	By         interface{ Peer() Peer } // whose it is; if nil, all is counted, and no client has a bound
	client     *Peer                    // a pointer, as many goroutines have a Share on their stacks
	held, free int
}

// Grow reports whether there is room for n bytes more, which are then held.
func (s *Share) Grow(n int) bool {
	if s.By != nil {
		free := min(n, uncounted-s.free)
		s.free += free
		if n -= free; n == 0 {
			return true
		}
		if s.client == nil {
			s.client = new(s.By.Peer().host())
		}
	}
	if !s.Of.add(int64(n), s.client) {
		return false
	}
	s.held += n
	return true
}

// End gives all of it back.
func (s *Share) End() {
	if s.held > 0 {
		s.Of.add(-int64(s.held), s.client)
	}
	s.held, s.free = 0, 0
}

// host is what all connections of a client have in common: its address, the network of one of IPv6, or its user.
func (p Peer) host() Peer {
	a := p.Addr.Addr().WithZone("")
	if a.Is6() {
		network, _ := a.Prefix(64)
		a = network.Addr()
	}
	return Peer{Addr: netip.AddrPortFrom(a, 0), UID: p.UID, Unix: p.Unix}
}
