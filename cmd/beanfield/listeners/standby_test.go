package listeners

import (
	"net"
	"testing"
	"time"

	"beanfield/storage/must"
)

// Addresses that systemd has opened stay open, since the process could not open them again: there a follower
// closes connections at once.
func TestInheritedStandby(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	parts := NewStandbys([]net.Listener{l}, true)
	served := func() bool {
		c := must.Get(net.Dial("tcp", l.Addr().String()))
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		n, _ := c.Read(make([]byte, 1))
		return n == 1
	}
	for range 3 {
		if served() {
			t.Error("a follower serves")
		}
		open := must.Get(parts[0].open(t.Context()))
		go func() {
			c := must.Get(open.Accept())
			c.Write([]byte("x"))
			c.Close()
		}()
		if !served() {
			t.Error("a client is not served")
		}
		open.Close()
		parts[0].shut()
	}
	parts[0].refuser.stop()
}
