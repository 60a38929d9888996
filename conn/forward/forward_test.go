package forward

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

func TestPassedOn(t *testing.T) {
	s := newSite(t, plain)
	s.Owner(s.link.Address())
	c := s.dial()
	v := s.host.next(t)
	if own := c.LocalAddr().String(); v.entrance != entrance || v.from.Addr != netip.MustParseAddrPort(own) {
		t.Errorf("%v from %v, want %v from %s", v.entrance, v.from, entrance, own)
	}
	says(t, c, v, "reserve\r\n")
	says(t, v, c, "TIMED_OUT\r\n")
	c.CloseWrite()
	ended(t, v)
	says(t, v, c, "still\r\n")
	v.Close()
	ended(t, c)
}

// A connection between nodes that breaks may have lost replies: to its client that is no end in order.
func TestBrokenConnection(t *testing.T) {
	s := newSite(t, plain)
	s.Owner(s.link.Address())
	c := s.dial()
	v := s.host.next(t)
	says(t, c, v, "put")
	must.Do(t, v.Conn.(*net.TCPConn).SetLinger(0))
	v.Close()
	if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client hears %v", err)
	}
}
