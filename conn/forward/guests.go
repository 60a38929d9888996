package forward

import (
	"net"
	"slices"
	"sync"
)

const (
	// mostGuests is how many may be at a link at once, and mostOfOne how many from one address: twice what a node
	// sends.
	mostGuests, mostOfOne = 512, 128
)

// guests are those who have come to a link and have not proved yet who they are, as they have come. When there is one
// too many, the one that came first is closed (FW7).
type guests struct {
	mu   sync.Mutex
	all  []*guest
	gone sync.WaitGroup
}

// guest is one of them.
type guest struct {
	c    net.Conn
	from string
}

// enter notes one more.
func (s *guests) enter(c net.Conn) *guest {
	host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	g := &guest{c, host}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone.Add(1)
	s.all = append(s.all, g)
	ofOne := slices.DeleteFunc(slices.Clone(s.all), func(h *guest) bool { return h.from != host })
	if len(ofOne) > mostOfOne {
		s.drop(ofOne[0])
	} else if len(s.all) > mostGuests {
		s.drop(s.all[0])
	}
	return g
}

// drop closes a guest.
func (s *guests) drop(g *guest) {
	g.c.Close()
	s.take(g)
}

// take takes one out, if it is there.
func (s *guests) take(g *guest) bool {
	at := slices.Index(s.all, g)
	if at >= 0 {
		s.all = slices.Delete(s.all, at, at+1)
	}
	return at >= 0
}

// prove notes that one has proved who it is. It reports false if it was closed before.
func (s *guests) prove(g *guest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(g)
}

// leave notes that one has shaken hands, or has failed to.
func (s *guests) leave(g *guest) {
	defer s.gone.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(g)
}

// closeAll closes all, and waits until they have left.
func (s *guests) closeAll() {
	s.mu.Lock()
	for _, g := range s.all {
		g.c.Close()
	}
	s.all = nil
	s.mu.Unlock()
	s.gone.Wait()
}
