package forward

import (
	"io"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// A connection between nodes is asked when nothing moves, on both sides: otherwise a dead node would keep the places of
// its clients (FW11).
func TestDeadNodes(t *testing.T) {
	s := newSite(t, plain)
	h := bare{make(chan int, 1)}
	s.link.Local(h)
	s.serves()
	c := s.dial()
	must.Get(io.WriteString(c, "put"))
	served := <-h.come
	defer syscall.Close(served)
	fds := []int{served}
	must.Until(t, "the client is passed on", func() bool {
		s.lines[0].do(func() {
			for _, p := range s.lines[0].pairs {
				if p != nil && p.state == joined {
					fds = append(fds[:1], p.link.fd)
				}
			}
		})
		return len(fds) == 2
	})
	for _, fd := range fds {
		idle := must.Get(syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE))
		each := must.Get(syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL))
		probes := must.Get(syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT))
		on := must.Get(syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE))
		if dead := time.Duration(idle+each*probes) * time.Second; on == 0 || dead != deadAfter {
			t.Errorf("a dead node is found after %v; keepalive is %d", dead, on)
		}
	}
}
