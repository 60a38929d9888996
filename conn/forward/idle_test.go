package forward

import (
	"net"
	"runtime"
	"syscall"
	"testing"

	"beanfield/conn"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// bare is a host that keeps the bare sockets of its clients.
type bare struct{ come chan int }

func (h bare) Take(_ Entrance, fd int, _ *conn.Peer, _ <-chan struct{}) error {
	h.come <- fd
	return nil
}

// dialBare makes a client of which the process has no more than the descriptor, which the caller closes.
func dialBare(t testing.TB, where string) int {
	t.Helper()
	fd := must.Get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))
	port := must.Get(net.ResolveTCPAddr("tcp", where)).Port
	must.Do(t, syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}))
	return fd
}

// use is how much of the heap, of stacks, and how many goroutines there are.
func use() (bytes int64, goroutines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse), runtime.NumGoroutine()
}

// idle is what a client takes while it waits, and when it has been passed on, and has sent and received 9000 bytes.
func idle(t testing.TB, c Cluster, clients int) (waiting, passed int64) {
	t.Helper()
	s := newSite(t, c)
	h := bare{make(chan int, clients)}
	s.link.Local(h)
	before, goroutines := use()
	var cs, fds []int
	defer func() {
		for _, fd := range append(cs, fds...) {
			syscall.Close(fd)
		}
	}()
	each := func(what string) int64 {
		t.Helper()
		bytes, n := use()
		if n > goroutines+clients/10 {
			t.Errorf("%d goroutines for %d clients that %s", n-goroutines, clients, what)
		}
		return (bytes - before) / int64(clients)
	}
	for range clients {
		cs = append(cs, dialBare(t, s.where))
	}
	s.holds(clients)
	waiting = each("wait")
	s.serves()
	b := make([]byte, 9000)
	for _, c := range cs {
		must.Get(syscall.Write(c, b))
	}
	for served := 0; served < clients; {
		fd := <-h.come
		fds = append(fds, fd)
		must.Do(t, syscall.SetNonblock(fd, false))
		got := 0
		for n := 1; n > 0 && got < len(b); got += n {
			n = must.Get(syscall.Read(fd, b[got:]))
		}
		if got == len(b) { // otherwise the handshake took too long, and its client comes again
			must.Get(syscall.Write(fd, b))
			served++
		}
	}
	for _, c := range cs {
		for n := 0; n < len(b); n += must.Get(syscall.Read(c, b[n:])) {
		}
	}
	s.link.guests.gone.Wait() // until all handshakes are over
	return waiting, each("have been passed on")
}

// A client takes little while it waits, and while it is idle.
func TestIdle(t *testing.T) {
	waiting, passed := idle(t, plain, 1000)
	t.Logf("%d bytes while it waits, %d when it has been passed on", waiting, passed)
	if waiting > 1<<10 || passed > 2<<10 {
		t.Errorf("a client takes %d bytes while it waits, and %d when it has been passed on", waiting, passed)
	}
}

// Between nodes with certificates, both sides of a connection have its keys.
func TestIdleTLS(t *testing.T) {
	_, passed := idle(t, certified(t, securetest.NewAuthority(t, "nodes"), ""), 300)
	t.Logf("%d bytes", passed)
	if passed > 20<<10 {
		t.Errorf("a client takes %d bytes at both nodes together", passed)
	}
}
