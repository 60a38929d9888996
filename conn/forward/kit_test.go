package forward

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/storage/must"
)

// front is a host that keeps its clients until the test has them.
type front struct {
	mu   sync.Mutex
	err  error         // what it answers
	full Entrance      // which has no room
	room chan struct{} // is closed when full changes
	left func()        // is called for clients of this process, which have places (FW5)
	come chan *visit
}

// visit is a client at a host.
type visit struct {
	net.Conn
	entrance Entrance
	from     *conn.Peer
}

// CloseWrite says that the host sends no more.
func (v *visit) CloseWrite() error { return v.Conn.(interface{ CloseWrite() error }).CloseWrite() }

func newFront() *front { return &front{come: make(chan *visit, 1<<16), room: make(chan struct{})} }

func (h *front) Take(e Entrance, fd int, from *conn.Peer, done <-chan struct{}) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return h.err
	}
	for e == h.full {
		if done == nil {
			return ErrNotServing
		}
		room := h.room
		h.mu.Unlock()
		select {
		case <-room:
		case <-done:
		}
		h.mu.Lock()
		if room == h.room {
			return ErrNotServing
		}
	}
	file := os.NewFile(uintptr(fd), "client")
	defer file.Close()
	c, err := net.FileConn(file)
	if err != nil {
		return err
	}
	if from == nil {
		h.left()
	}
	h.come <- &visit{c, e, from}
	return nil
}

// say has it answer clients that come from now on.
func (h *front) say(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}

// fill says which entrance has no room from now on.
func (h *front) fill(e Entrance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.room)
	h.full, h.room = e, make(chan struct{})
}

// next is the next client that comes.
func (h *front) next(t testing.TB) *visit {
	t.Helper()
	select {
	case v := <-h.come:
		t.Cleanup(func() { v.Close() })
		v.SetDeadline(time.Now().Add(must.Patience))
		return v
	case <-time.After(must.Patience):
		t.Fatal("nobody comes")
		return nil
	}
}

// site is a link with its host, and a forwarder with a listener of its own.
type site struct {
	t        testing.TB
	acceptor *conn.Acceptor
	*Forwarder
	link  *Link
	host  *front
	where string // the address of the listener
}

var entrance = Entrance{Front: "beanstalk", Place: "10.0.0.1:11300", Login: true}

func newSite(t testing.TB, c Cluster) *site {
	t.Helper()
	s := &site{t: t, acceptor: must.Get(conn.NewAcceptor(conn.Options{})), host: newFront()}
	s.host.left = s.acceptor.Left
	s.link = must.Get(Listen("127.0.0.1:0", LinkOptions{Cluster: c}))
	s.link.Local(s.host)
	c.Node = "other"
	s.Forwarder = must.Get(New(Options{Cluster: c, Wait: must.Patience, Left: s.acceptor.Left}))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	s.where = l.Addr().String()
	var served sync.WaitGroup
	served.Go(func() { must.Do(t, s.acceptor.Serve(l, s.Over(entrance))) })
	t.Cleanup(func() {
		s.acceptor.Stop()
		served.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), must.Patience)
		defer cancel()
		s.Close(ctx)
		hasty, cancel := context.WithCancel(context.Background())
		cancel()
		s.link.Close(hasty)
		if n := s.acceptor.Open(); n != 0 {
			t.Errorf("%d clients have not left", n)
		}
	})
	return s
}

// front makes another host for clients of the site's own.
func (s *site) front() *front {
	h := newFront()
	h.left = s.acceptor.Left
	return h
}

// serves says that the node of the site's link serves.
func (s *site) serves() { s.Owner(s.link.Address()) }

// dial makes a client.
func (s *site) dial() *net.TCPConn {
	s.t.Helper()
	c := must.Get(net.Dial("tcp", s.where)).(*net.TCPConn)
	s.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(must.Patience))
	return c
}

// says sends a text, which the other end must get.
func says(t testing.TB, from, to net.Conn, text string) {
	t.Helper()
	must.Get(io.WriteString(from, text))
	b := make([]byte, len(text))
	if _, err := io.ReadFull(to, b); err != nil || string(b) != text {
		t.Fatalf("%q, %v instead of %q", b, err, text)
	}
}

// ended makes sure that nothing more comes.
func ended(t testing.TB, c net.Conn) {
	t.Helper()
	if b, err := io.ReadAll(c); err != nil || len(b) > 0 {
		t.Fatalf("%.100q, %v instead of the end", b, err)
	}
}

var plain = Cluster{Name: "test", Node: "one", Secret: "secret"}
