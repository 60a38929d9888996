package forward

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// holds waits until the forwarder has so many clients.
func (s *site) holds(n int) {
	s.t.Helper()
	must.Until(s.t, "so many clients", func() bool { return s.Open() == n && s.acceptor.Open() == n })
}

// rests checks how many rows rest, or have had no success since they did.
func (s *site) rests(want int) {
	s.t.Helper()
	got := 0
	s.each(func(n *line) {
		for _, r := range n.rows {
			if r.rest != (rest{}) {
				got++
			}
		}
	})
	if got != want {
		s.t.Errorf("%d rows rest, not %d", got, want)
	}
}

// Nothing of a client is read before it is taken (FW2), and then all of it is passed on.
func TestWaitsForAnOwner(t *testing.T) {
	s := newSite(t, plain)
	c := s.dial()
	must.Get(io.WriteString(c, "put"))
	s.holds(1)
	s.link.Local(nil)
	s.serves() // which does not serve yet
	s.held(1)
	s.link.Local(s.host)
	v := s.host.next(t)
	b := make([]byte, 3)
	if _, err := io.ReadFull(v, b); string(b) != "put" {
		t.Errorf("%q, %v arrives", b, err)
	}
	says(t, v, c, "INSERTED")
}

// Who leaves while waiting leaves its place at once (FW5); but who has sent something may be waiting for the answer.
func TestLeavesWhileWaiting(t *testing.T) {
	s := newSite(t, plain)
	gone, reset, quiet, half := s.dial(), s.dial(), s.dial(), s.dial()
	for _, c := range []*net.TCPConn{reset, half} {
		must.Get(io.WriteString(c, "put"))
	}
	s.holds(4)
	must.Do(t, gone.Close())
	must.Do(t, quiet.CloseWrite())
	must.Do(t, half.CloseWrite())
	must.Do(t, reset.SetLinger(0))
	must.Do(t, reset.Close())
	s.holds(1)
	ended(t, quiet)
	s.serves()
	v := s.host.next(t)
	if b, err := io.ReadAll(v); string(b) != "put" {
		t.Errorf("%q, %v", b, err)
	}
	says(t, v, half, "INSERTED")
}

// A wait comes to an end.
func TestWaitIsOver(t *testing.T) {
	s := newSite(t, plain)
	c, d := s.dial(), s.dial()
	s.holds(2)
	s.SetWait(time.Millisecond)
	ended(t, c)
	ended(t, d)
	s.holds(0)
}

// A process that serves has those who wait and those who come, until it says that it serves no more (FW9).
func TestLocal(t *testing.T) {
	s := newSite(t, plain)
	c := s.dial()
	s.holds(1)
	own := s.front()
	s.Local(own)
	for _, c := range []net.Conn{c, s.dial()} {
		v := own.next(t)
		if v.from != nil {
			t.Errorf("from %v", v.from)
		}
		says(t, c, v, "put")
		says(t, v, c, "INSERTED")
	}
	s.holds(0)
	s.Local(nil)
	s.dial()
	s.holds(1)
	if len(own.come) > 0 {
		t.Error("it still gets clients")
	}
}

// An own host that does not serve yet is asked again.
func TestLocalNotYet(t *testing.T) {
	s := newSite(t, plain)
	own := s.front()
	own.say(ErrNotServing)
	s.Local(own)
	c := s.dial()
	s.holds(1)
	own.say(nil)
	says(t, c, own.next(t), "put")
	s.rests(0)
}

// Failures of many at once are one failure: the pause after it does not grow. It does after the next one.
func TestRest(t *testing.T) {
	var r rest
	for _, want := range []time.Duration{firstPause, 2 * firstPause, longestPause, longestPause} {
		now := r.until
		for range 3 {
			if r.begin(now); r.pause != want {
				t.Fatalf("a pause of %v instead of %v", r.pause, want)
			}
		}
	}
}

// greeter is a host that does not serve yet, and begins to watch whoever comes.
type greeter struct{ n *line }

func (g greeter) Take(_ Entrance, fd int, _ *conn.Peer, _ <-chan struct{}) error {
	g.n.poll.Add(fd)
	return ErrNotServing
}

// A client that cannot be watched any more is closed, and does not stay unseen. With poll(2) all can be watched.
func TestCannotBeWatched(t *testing.T) {
	if socket.ReadAhead {
		t.SkipNow()
	}
	s := newSite(t, plain)
	s.Local(greeter{s.lines[0]})
	ended(t, s.dial())
	s.holds(0)
}

// An own host that will never serve a client has it closed.
func TestLocalRefuses(t *testing.T) {
	s := newSite(t, plain)
	own := s.front()
	own.say(errors.New("no such listener"))
	s.Local(own)
	ended(t, s.dial())
}

// When the owner changes, those who were passed on to another are closed, with what had arrived for them.
func TestOwnerChanges(t *testing.T) {
	s := newSite(t, plain)
	s.serves()
	var cs []net.Conn
	for range 10 {
		c := s.dial()
		says(t, c, s.host.next(t), "put")
		cs = append(cs, c)
	}
	s.Owner("")
	for _, c := range cs {
		ended(t, c)
	}
	s.holds(0)
	c := s.dial()
	s.serves()
	says(t, c, s.host.next(t), "put")
}

// All who wait when an owner appears are passed on, a bounded number at a time.
func TestStorm(t *testing.T) {
	s := newSite(t, plain)
	const clients = 500
	var cs []net.Conn
	for range clients {
		c := s.dial()
		must.Get(io.WriteString(c, c.LocalAddr().String()))
		cs = append(cs, c)
	}
	s.holds(clients)
	s.serves()
	for range clients {
		v := s.host.next(t)
		b := make([]byte, len(v.from.Addr.String()))
		if _, err := io.ReadFull(v, b); err != nil || string(b) != v.from.Addr.String() {
			t.Fatalf("%v says that it is %s, %v", v.from, b, err)
		}
		must.Get(v.Write(b))
	}
	for _, c := range cs {
		b := make([]byte, len(c.LocalAddr().String()))
		if _, err := io.ReadFull(c, b); err != nil || string(b) != c.LocalAddr().String() {
			t.Fatalf("%v is told that it is %s, %v", c.LocalAddr(), b, err)
		}
	}
}

// Closing lets the answers come that are on their way.
func TestClose(t *testing.T) {
	defer func(d time.Duration) { quietFor = d }(quietFor)
	quietFor = must.Patience
	s := newSite(t, plain)
	s.serves()
	c := s.dial()
	v := s.host.next(t)
	says(t, c, v, "put")
	closed := make(chan struct{})
	s.acceptor.Stop()
	go func() { s.Close(context.Background()); close(closed) }()
	must.Get(io.WriteString(v, "INSERTED"))
	must.Do(t, v.Close())
	if b, err := io.ReadAll(c); string(b) != "INSERTED" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	<-closed
}

// Without an answer on its way, all close soon.
func TestCloseIdle(t *testing.T) {
	s := newSite(t, plain)
	s.serves()
	c := s.dial()
	says(t, c, s.host.next(t), "put")
	s.Owner("")
	d := s.dial()
	s.holds(1)
	s.acceptor.Stop()
	s.Close(context.Background())
	ended(t, c)
	ended(t, d)
}

// Clients of an entrance without room wait, at the link or here, and keep nobody of another one out, though they have
// come first and take all that may be passed on at once; when there is room, they are served.
func TestFullEntrance(t *testing.T) {
	for _, held := range []bool{true, false} {
		s := newSite(t, plain)
		full := Entrance{Front: "beanstalk", TLS: true}
		s.host.fill(full)
		at, others := origin{"other", full}, origin{"more", entrance}
		if !held {
			for s.link.holds.join(others) != nil {
			}
			s.link.holds.join(at)
		}
		d := s.Over(full)
		for range heldEnough * len(s.lines) {
			two := must.Get(socket.Pair())
			t.Cleanup(func() { syscall.Close(two[0]) })
			s.acceptor.Admit(d, two[1], nil, nil)
		}
		s.each(func(n *line) { n.share, n.enough = 1, heldEnough })
		s.serves()
		if held {
			s.held(heldEnough * len(s.lines))
		}
		c := s.dial()
		says(t, c, s.host.next(t), "put")
		if !held {
			s.link.holds.leave(at)
		}
		s.host.fill(Entrance{})
		if v := s.host.next(t); v.entrance != full {
			t.Errorf("%+v comes", v.entrance)
		}
	}
}

// An attempt that ends with the client's own wait is no failure of the owner: nobody else rests for it.
func TestOwnWaitIsOver(t *testing.T) {
	s := newSite(t, plain)
	var text must.Text
	s.log = text.Logger()
	mute := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer mute.Close()
	c := s.dial()
	s.holds(1)
	n := s.lines[0]
	n.do(func() {
		for _, r := range n.rows {
			r.first.at -= s.wait.Load() - int64(time.Second)
		}
	})
	s.Owner(mute.Addr().String())
	ended(t, c)
	if s.rests(0); text.String() != "" {
		t.Errorf("the log: %s", text.String())
	}
}
