package forward

import (
	"net"
	"os"
	"syscall"
	"testing"

	"beanfield/conn"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// held waits until the owner's link has so many clients wait.
func (s *site) held(n int) {
	s.t.Helper()
	must.Until(s.t, "the link has so many wait", func() bool {
		held := 0
		for _, l := range s.lines {
			l.do(func() {
				for _, r := range l.rows {
					held += r.held
				}
			})
		}
		return held == n
	})
}

// Clients that a link has wait are served as they have come, as soon as there is room, or another host (FW9, FW10).
func TestHeld(t *testing.T) {
	s := newSite(t, plain)
	s.host.fill(entrance)
	s.serves()
	var all []net.Conn
	most := len(s.lines) * s.lines[0].enough
	for i := range most {
		all = append(all, s.dial())
		s.held(i + 1)
	}
	all = append(all, s.dial()) // waits here
	s.holds(len(all))
	s.each(func(n *line) {
		if n.attempts > n.enough {
			t.Errorf("%d are passed on", n.attempts)
		}
	})
	s.link.Local(nil)
	s.held(most)
	host := newFront()
	host.fill(entrance)
	s.link.Local(host)
	if s.held(most); len(s.host.come) > 0 {
		t.Error("the former host has a client")
	}
	host.fill(Entrance{})
	for _, c := range all {
		says(t, c, host.next(t), "put")
	}
}

// Who leaves meanwhile keeps no place, here or at the link.
func TestHeldLeaves(t *testing.T) {
	s := newSite(t, plain)
	s.host.fill(entrance)
	s.serves()
	s.dial().Close()
	c := s.dial()
	s.held(1)
	must.Do(t, c.Close())
	s.held(0)
	s.holds(0)
	must.Until(t, "nobody waits at the link", func() bool { return !s.link.holds.waits(origin{"other", entrance}) })
}

// The clients that wait at a link are bounded in all, and no entrance of a node keeps out another one.
func TestMostHeld(t *testing.T) {
	s := holds{all: map[origin]*turns{}}
	many, few := origin{"one", entrance}, origin{"two", entrance}
	held := 0
	for s.join(many) != nil {
		held++
	}
	if first, second := s.join(few), s.join(few); held != mostHeld || first == nil || second != nil {
		t.Errorf("%d wait; of another node one waits: %t, two: %t", held, first != nil, second != nil)
	}
	s.leave(many)
	s.leave(few)
	if s.join(many) == nil {
		t.Error("nobody may wait after others have left")
	}
	f := must.Get(New(Options{Cluster: plain, Loops: 8, Left: func() {}}))
	defer f.Close(t.Context())
	for _, n := range f.lines {
		if n.enough != 1 {
			t.Errorf("each of 8 loops has %d of an entrance wait", n.enough)
		}
	}
}

// greedy is a host that takes all descriptors when it has taken a client.
type greedy struct {
	*front
	all []*os.File
}

// rest takes all descriptors that are left.
func (h *greedy) rest() {
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		h.all = append(h.all, f)
	}
}

// sated gives them back.
func (h *greedy) sated() {
	for _, f := range h.all {
		f.Close()
	}
}

func (h *greedy) Take(e Entrance, fd int, from *conn.Peer, done <-chan struct{}) error {
	err := h.front.Take(e, fd, from, done)
	h.rest()
	return err
}

// A client that a front end has got is not lost because descriptors are short then: those that it needs are there, at
// the link and at the node between. At last that one is alone: a link of this process frees one when it has answered.
func TestShortOfDescriptors(t *testing.T) {
	var was syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	for name, c := range map[string]Cluster{"plain": plain, "TLS": certified(t, securetest.NewAuthority(t, "nodes"),
		"")} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c)
			host := &greedy{front: s.host}
			s.link.Local(host)
			d := s.dial()
			s.holds(1)
			few := was
			few.Cur = 512
			must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
			s.serves()
			v := s.host.next(t)
			says(t, d, v, "put")
			says(t, v, d, "INSERTED")
			s.link.Local(nil) // it has ended to take
			host.sated()
		})
	}
	s, host := newSite(t, plain), new(greedy)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	d := s.dial()
	s.Owner(l.Addr().String())
	v := comes(t, l)
	host.rest()
	v.answer(taken)
	says(t, d, v, "put")
	host.sated()
}
