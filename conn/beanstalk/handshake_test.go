package beanstalk

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// recorder notes what a client gets.
type recorder struct {
	net.Conn
	got []byte
}

func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.got = append(r.got, b[:n]...)
	return n, err
}

// hello is a client's first message.
func hello(t testing.TB) []byte {
	near, far := net.Pipe()
	defer far.Close()
	first := &hoard{Conn: near, hold: true}
	near.SetReadDeadline(time.Now()) // nobody answers
	config := trust(t)
	config.CurvePreferences = []tls.CurveID{tls.X25519} // the others take the server longer
	tls.Client(first, config).Handshake()
	return first.held
}

// halves are clients that stop in the middle of a handshake: so many at its start, in a header, in a
// message and after one.
func (h *house) halves(n int) (all []*client) {
	first := string(hello(h.t))
	for _, stop := range []int{0, 3, len(first) / 2, len(first)} {
		for range n {
			c := newClient(h.t, h.pairWith(h.secured()))
			c.send(first[:stop])
			all = append(all, c)
		}
	}
	return all
}

// Clients that stop in the middle of a handshake are closed when their time is over,
// and keep nobody else from making one.
func TestHandshakesThatStop(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.HandshakeTimeout = time.Second })
	all := h.halves(20)
	others := h.entering()
	others.do("list-tube-used", "USING default")
	for _, c := range all {
		must.Do(t, c.drain()) // what the server said first, and the end
	}
	eventually(t, "they have left", func() bool { return h.server.open.Load() == 1 })
	others.do("list-tube-used", "USING default")
}

// entering makes a handshake with a server that has little time for it: on a busy machine
// it may take several.
func (h *house) entering() (c *client) {
	h.t.Helper()
	eventually(h.t, "a handshake is made", func() bool {
		c = newClient(h.t, tls.Client(h.pairWith(h.secured()), h.trust))
		// A client has made its half of the handshake before the server has read that, so a reply says that it is made.
		_, err := io.WriteString(c.nc, "list-tube-used\r\n")
		if err == nil {
			_, err = c.br.ReadString('\n')
		}
		if err != nil {
			c.close()
		}
		return err == nil
	})
	return c
}

// W1: Shutdown does not wait for handshakes, which might take an hour; but their goroutines end
// before their sockets are closed.
func TestShutdownDuringHandshakes(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.HandshakeTimeout = time.Hour })
	h.halves(10)
	h.sealed(nil).do("list-tube-used", "USING default")
	h.close()
}

// A client whose handshake is still to be made counts as a connection (N1).
func TestHandshakesCountAsConnections(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) {
		o.maxConnections = 2
		o.HandshakeTimeout = time.Hour
	})
	h.dialTLS().do("list-tube-used", "USING default")
	h.change(func(o *Options) { o.HandshakeTimeout = 300 * time.Millisecond })
	half := dial(t, "tcp", h.tls)
	half.send(string(hello(t)[:10]))
	eventually(t, "it is in", func() bool { return h.accept.Open() == 2 })
	eventually(t, "a third comes in", func() bool { // when the second has been closed
		nc, err := tls.Dial("tcp", h.tls, h.trust)
		if err != nil {
			return false // it has taken too long itself
		}
		newClient(t, nc).do("list-tube-used", "USING default")
		return true
	})
	half.eof()
	if n := h.accept.Open(); n > 2 {
		t.Errorf("%d connections", n)
	}
}

// change gives the server other options.
func (h *house) change(fn func(*Options)) {
	o := *h.server.opts.Load()
	fn(&o)
	apply := must.Get(h.server.Change(o))
	apply()
}

// Who speaks without TLS to a TLS port is told so, and who speaks TLS to a plain port
// is answered as for any nonsense.
func TestWrongPorts(t *testing.T) {
	h := newHouse(t)
	for _, text := range []string{"stats\r\n", "put 0 0 1 5\r\nhello\r\n", "GET / HTTP/1.1\r\n\r\n",
		strings.Repeat("x", 5000)} {
		c := newClient(t, h.pairWith(h.secured()))
		c.send(text)
		c.expect("BAD_FORMAT")
		c.eof()
	}
	near := h.pairWith(h.server)
	near.SetDeadline(time.Now().Add(patience))
	_, ok := tls.Client(near, trust(t)).Handshake().(tls.RecordHeaderError)
	if !ok {
		t.Errorf("a TLS client on a plain port does not see at once that there is no TLS")
	}
	near.Close()
	eventually(t, "all have left", func() bool { return h.server.open.Load() == 0 })
}

// kept is a secured front end that remembers its client.
type kept struct {
	server *Server
	certs  *secure.Certificates
	tls    *socket.TLS
}

func (k *kept) Welcome(fd int, from *conn.Peer) {
	k.tls = socket.NewTLS(fd, k.certs)
	k.server.welcome(fd, from, k.tls, Door{})
}

// Established connections have no goroutines, and nothing of their handshakes.
func TestNoGoroutinesAfterHandshakes(t *testing.T) {
	h := newHouse(t)
	h.sealed(nil).do("list-tube-used", "USING default")
	before := runtime.NumGoroutine()
	var all []*client
	for range 50 {
		c := h.sealed(nil)
		c.do("list-tube-used", "USING default")
		all = append(all, c)
	}
	eventually(t, "their goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	for _, c := range all {
		c.do("list-tube-used", "USING default")
	}
}

// Ten thousand half handshakes, of clients that stop at different points, take the
// descriptors and the memory of as many as may be under way. Those who have waited longest
// are sent away. Clients that are in are served meanwhile, and new ones come in. It is not
// parallel: it would take the descriptors of others.
func TestTenThousandHalfHandshakes(t *testing.T) {
	const n, memoryEach = 10_000, 48 << 10
	if got := descriptors(t, n+1000); got < n+1000 {
		t.Skipf("only %d descriptors", got)
	}
	s := startChild(t, 0)
	enter := func() *client {
		c := newClient(t, must.Get(tls.Dial("tcp", s.sealed, stranger())))
		c.do("list-tube-used", "USING default")
		return c
	}
	other := enter()
	before, total := s.ask("memory")[1], s.ask("open")[2]
	h := string(hello(t))
	begin := []string{"", h[:3], h[:len(h)/2], h[:len(h)-1]}
	var halves []*client
	for i := range n {
		half := dial(t, "tcp", s.sealed)
		halves = append(halves, half)
		text := begin[i%len(begin)]
		if i%10 == 0 {
			text = h // the server has to answer
		}
		io.WriteString(half.nc, text) // it may have been sent away
		if i%1000 == 0 {
			other.do("list-tube-used", "USING default")
		}
	}
	const most = secure.MostHandshakes + 1 // with the other
	// Those who are still on their way in send others away later, whoever has waited longest then.
	eventually(t, "all are in, and the first have been sent away", func() bool {
		return s.ask("open")[2] == total+n && s.ask("open")[0] <= most
	})
	atMost(t, "they take", secure.MostHandshakes*memoryEach, func() int64 { return s.ask("memory")[1] - before })
	other.do("list-tube-used", "USING default")
	enter()
	for _, half := range halves[:n/2] { // later ones may have waited since a later message of theirs
		half.drain()
	}
}
