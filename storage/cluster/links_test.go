package cluster

import (
	"io"
	"net"
	"sync"
	"testing"

	"beanfield/storage/must"
)

// links are what stands between the engines of nodes: each node has an address of its own for each other one.
// An engine itself listens at 127.0.0.2, since the others tell each other that it is at 127.0.0.1, where the links
// are, with its own port: they must not find it there.
type links struct {
	testing.TB
	mu    sync.Mutex
	freed *sync.Cond
	cut   map[[2]string]bool
}

func newLinks(t *trio) *links {
	for name, address := range t.options.Nodes {
		_, port, _ := net.SplitHostPort(address)
		t.options.Nodes[name] = net.JoinHostPort("127.0.0.2", port)
	}
	l := &links{TB: t, cut: map[[2]string]bool{}}
	l.freed = sync.NewCond(&l.mu)
	t.Cleanup(func() { l.set(false, "a", "b", "c") })
	return l
}

// set cuts, in silence, or mends all links of a node with others.
func (l *links) set(cut bool, node string, others ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !cut {
		clear(l.cut)
	}
	for _, other := range others {
		l.cut[[2]string{node, other}], l.cut[[2]string{other, node}] = cut, cut
	}
	l.freed.Broadcast()
}

// pass waits until a link is whole.
func (l *links) pass(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.cut[[2]string{from, to}] {
		l.freed.Wait()
	}
}

// between is the address at which one node finds another.
func (l *links) between(from, to, target string) string {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	l.Cleanup(func() { listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				l.pass(from, to)
				far, err := net.Dial("tcp", target)
				if err != nil {
					near.Close()
					return
				}
				go l.pump(far, near, from, to)
				l.pump(near, far, to, from)
			}()
		}
	}()
	return listener.Addr().String()
}

func (l *links) pump(into io.WriteCloser, out io.ReadCloser, from, to string) {
	b := make([]byte, 64<<10)
	for {
		n, err := out.Read(b)
		l.pass(from, to)
		if n > 0 && err == nil {
			_, err = into.Write(b[:n])
		}
		if err != nil {
			into.Close()
			out.Close()
			return
		}
	}
}
