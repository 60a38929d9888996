package conn

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

// full is a house with room for one, who is at the first of its front ends, while somebody waits at each.
func full(t *testing.T) (h *house, a, b *front, addressA string, in int) {
	t.Helper()
	h = newHouse(t, 1)
	a, addressA = h.open("tcp", "127.0.0.1:0")
	b, addressB := h.open("tcp", "127.0.0.1:0")
	dial(t, "tcp", addressA)
	in = a.next()
	dial(t, "tcp", addressA)
	dial(t, "tcp", addressB)
	h.waiting(2)
	return h, a, b, addressA, in
}

// Two front ends share a limit of one. Whichever listener a client comes to, it
// waits for the one who is in.
func TestTheLimitHoldsForAllFrontEnds(t *testing.T) {
	h, a, b, _, in := full(t)
	a.none()
	b.none()
	a.leave(in)
	var second, third *front
	select {
	case in = <-a.in:
		second, third = a, b
	case in = <-b.in:
		second, third = b, a
	case <-time.After(patience):
		t.Fatal("nobody is welcomed after one has left")
	}
	h.waiting(1)
	if a.none(); h.Open() != 1 {
		t.Errorf("N1: %d are open", h.Open())
	}
	b.none()
	second.leave(in)
	third.leave(third.next())
	if h.Open() != 0 {
		t.Errorf("%d are open when all have left", h.Open())
	}
	if n := len(h.lines); n != 1 || !strings.Contains(<-h.lines, "accepting pauses") {
		t.Errorf("%d lines are logged, want one of a pause", n)
	}
}

// N2 and N3: Stop ends a listener that waits in accept, one that waits for a place with a
// client in hand, and one that comes too late; nobody is welcomed afterwards.
func TestStop(t *testing.T) {
	h := newHouse(t, 1)
	a, addressA := h.open("tcp", "127.0.0.1:0")
	path := filepath.Join(t.TempDir(), "s")
	b, _ := h.open("unix", path)
	dial(t, "tcp", addressA)
	in := a.next()
	out := dial(t, "unix", path)
	h.waiting(1)
	h.Stop()
	ended(t, out)
	h.Stop() // again is nothing
	a.leave(in)
	a.none()
	b.none()
	if _, err := net.Dial("tcp", addressA); err == nil {
		t.Error("somebody still listens")
	}
	late, address := h.open("tcp", "127.0.0.1:0")
	h.served.Wait()
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("a listener that came too late is open")
	}
	late.none()
	if h.Open() != 0 {
		t.Errorf("%d are open", h.Open())
	}
}

// A unix socket's file belongs to the process that made it, and stays.
func TestSocketFileStays(t *testing.T) {
	h := newHouse(t, 0)
	path := filepath.Join(t.TempDir(), "s")
	g, _ := h.open("unix", path)
	dial(t, "unix", path)
	g.leave(g.next())
	h.Stop()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// A front end gets a socket that does not block, dies with the process's image, and
// sends small replies at once.
func TestSocketOptions(t *testing.T) {
	h := newHouse(t, 0)
	g, address := h.open("tcp", "127.0.0.1:0")
	dial(t, "tcp", address)
	g.leave(g.next()) // from now on the listener has its options
	dial(t, "tcp", address)
	fd := g.next()
	defer g.leave(fd)
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	if errno != 0 || flags&syscall.O_NONBLOCK == 0 {
		t.Errorf("flags %#x (%v): it blocks", flags, errno)
	}
	if flags, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD,
		0); flags&syscall.FD_CLOEXEC == 0 {
		t.Error("a child process would inherit it")
	}
	for what, option := range map[string][2]int{
		"TCP_NODELAY":  {syscall.IPPROTO_TCP, syscall.TCP_NODELAY},
		"SO_KEEPALIVE": {syscall.SOL_SOCKET, syscall.SO_KEEPALIVE},
	} {
		if on, err := syscall.GetsockoptInt(fd, option[0], option[1]); err != nil || on == 0 {
			t.Errorf("%s is %d (%v)", what, on, err)
		}
	}
}

// N4: two leave at a moment when two listeners have found that they must wait,
// but do not wait yet: there is room for one token only, and both go on at once.
func TestTwoLeaveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := must.Get(NewAcceptor(Options{}))
		a.open.Store(2)
		a.short.Add(2)
		a.Left()
		a.Left()
		began := time.Now()
		in := make(chan bool)
		for range 2 {
			go func() {
				a.awaitDescriptor(syscall.EMFILE)
				in <- a.enter(nil)
			}()
		}
		for range 2 {
			if !<-in {
				t.Error("it was not stopped")
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the second goes on after %v", took)
		}
	})
}

// While descriptors are short and nobody leaves, accepting tries again after a
// second, and is logged once a minute.
func TestShortOfDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		began := time.Now()
		for i := 1; i <= 61; i++ {
			h.awaitDescriptor(syscall.EMFILE)
			if took := time.Since(began); took != time.Duration(i)*time.Second {
				t.Fatalf("try %d comes after %v", i, took)
			}
		}
		if n := len(h.lines); n != 2 {
			t.Errorf("%d lines in 61 seconds, want 2", n)
		}
		h.Stop()
		h.awaitDescriptor(syscall.EMFILE)
		if took := time.Since(began); took != 61*time.Second {
			t.Error("it waits although it is stopped")
		}
	})
}

func TestOptionsAndListenersThatCannotBe(t *testing.T) {
	if _, err := NewAcceptor(Options{MaxConnections: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
	l := &pipeListener{}
	if err := newHouse(t, 0).Serve(l, nil); err == nil || !l.closed {
		t.Errorf("a listener without a socket: %v, closed %v", err, l.closed)
	}
}

// pipeListener has no socket.
type pipeListener struct {
	net.Listener
	closed bool
}

func (l *pipeListener) Close() error {
	l.closed = true
	return nil
}

// Another limit lets in who waits, however many they are, and closes nobody.
func TestAnotherLimit(t *testing.T) {
	h, a, b, addressA, first := full(t)
	h.Limit(3)
	second, third := a.next(), b.next()
	h.Limit(2)
	dial(t, "tcp", addressA)
	h.waiting(1)
	a.leave(first)
	h.waiting(1)
	if a.none(); h.Open() != 2 {
		t.Errorf("%d are open", h.Open())
	}
	h.Limit(0)
	a.leave(a.next())
	a.leave(second)
	b.leave(third)
}

// hesitant is a front end that wants nobody until room is closed.
type hesitant struct {
	*front
	room chan struct{}
}

func (h hesitant) Room() <-chan struct{} {
	select {
	case <-h.room:
		return nil
	default:
		return h.room
	}
}

// Clients of a front end that has no room wait outside, and come in when there is room. Stop does
// not wait for it.
func TestRoom(t *testing.T) {
	h := newHouse(t, 0)
	f := hesitant{&front{h, make(chan int, 100)}, make(chan struct{})}
	listen := func() string {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		h.served.Go(func() {
			if err := h.Serve(l, f); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		return l.Addr().String()
	}
	dial(t, "tcp", listen())
	other, address := h.open("tcp", "127.0.0.1:0")
	dial(t, "tcp", address)
	other.leave(other.next()) // long after the first could have come in
	f.none()
	close(f.room)
	f.leave(f.next())
	f.room = make(chan struct{})
	listen()
	h.Stop()
}

// A client that another node has passed on takes turns with a listener that always has one more, and nobody who comes
// later is before them (N5).
func TestAdmitTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := must.Get(NewAcceptor(Options{MaxConnections: 1}))
		h := &front{&house{Acceptor: a}, make(chan int, 9)}
		a.queue = make([]chan struct{}, 1) // somebody is about to be given the place
		if a.Admit(h, 8, nil, nil) {
			t.Error("a place is taken for which somebody waits")
		}
		a.queue = nil
		a.take()
		in := make(chan bool, 9)
		go func() {
			for range 3 {
				in <- a.enter(nil)
			}
		}()
		synctest.Wait()
		never := make(chan struct{})
		go a.Admit(h, 7, nil, never)
		synctest.Wait()
		for i, want := range [][2]int{{1, 0}, {1, 1}, {2, 1}, {3, 1}} {
			a.Left()
			if a.Admit(h, 8, nil, nil) {
				t.Error("one who does not wait is before those who do")
			}
			synctest.Wait()
			if got := [2]int{len(in), len(h.in)}; got != want {
				t.Errorf("after %d have left, the listener has let %d in, and %d have been passed on", i+1, got[0], got[1])
			}
		}
	})
}

// Who does not wait any more has no place, also if it has been given one at the same time.
func TestWaitIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := must.Get(NewAcceptor(Options{MaxConnections: 1}))
		for range 20 { // either may come first
			a.take()
			done, in := make(chan struct{}), make(chan bool)
			go func() { in <- a.enter(done) }()
			synctest.Wait()
			close(done)
			a.Left()
			if <-in {
				a.Left()
			}
			if a.Open() != 0 || len(a.queue) != 0 {
				t.Fatalf("%d are in, and %d wait", a.Open(), len(a.queue))
			}
		}
		a.take()
		given := make(chan struct{})
		close(given)
		if a.enter(given) || len(a.queue) != 0 {
			t.Errorf("%d wait", len(a.queue))
		}
	})
}
