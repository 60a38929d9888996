package forward

import (
	"net"
	"sync"
)

const (
	// mostGuests is how many may be at a link at once, and mostOfOne how many from one address: twice what a node
	// sends.
	mostGuests, mostOfOne = 512, 128
)

// guests are those who have come to a link and have not proved yet who they are. When there is one too many, the one
// that came first is closed (FW7).
type guests struct {
	mu    sync.Mutex
	all   map[*guest]struct{}
	count uint64
	gone  sync.WaitGroup
}

// guest is one of them.
type guest struct {
	c      net.Conn
	from   string
	number uint64 // in the order in which they came
}

// enter notes one more.
func (s *guests) enter(c net.Conn) *guest {
	host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone.Add(1)
	s.count++
	g := &guest{c, host, s.count}
	s.all[g] = struct{}{}
	var first, firstOfOne *guest
	of := 0
	for h := range s.all {
		if first == nil || h.number < first.number {
			first = h
		}
		if h.from == host {
			of++
			if firstOfOne == nil || h.number < firstOfOne.number {
				firstOfOne = h
			}
		}
	}
	switch {
	case of > mostOfOne:
		s.drop(firstOfOne)
	case len(s.all) > mostGuests:
		s.drop(first)
	}
	return g
}

func (s *guests) drop(g *guest) {
	g.c.Close()
	delete(s.all, g)
}

// prove notes that one has proved who it is. It reports false if it was closed before.
func (s *guests) prove(g *guest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, here := s.all[g]
	delete(s.all, g)
	return here
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
	for g := range s.all {
		s.drop(g)
	}
	s.mu.Unlock()
	s.gone.Wait()
}
