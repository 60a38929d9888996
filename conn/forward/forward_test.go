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
	passedOn(t, s, s.link.Address())
}

// passedOn has a client passed on by way of an address, and both sides end one after the other.
func passedOn(t *testing.T, s *site, by string) {
	s.Owner(by)
	c := s.dial()
	must.Get(io.WriteString(c, "use ")) // as no front end speaks first
	v := s.host.next(t)
	must.Get(io.ReadFull(v, make([]byte, len("use "))))
	if own := c.LocalAddr().String(); v.entrance != entrance || v.from.Addr != netip.MustParseAddrPort(own) {
		t.Errorf("%v from %v, want %v from %s", v.entrance, v.from, entrance, own)
	}
	says(t, c, v, "secrets\r\n")
	says(t, v, c, "USING secrets\r\n")
	c.CloseWrite()
	ended(t, v)
	says(t, v, c, "more secrets\r\n")
	v.Close()
	ended(t, c)
}

// A connection between nodes that breaks may have lost replies: to its client that is no end in order.
func TestBrokenConnection(t *testing.T) {
	s := newSite(t, plain)
	s.serves()
	c := s.dial()
	v := s.host.next(t)
	says(t, c, v, "put")
	must.Do(t, v.Conn.(*net.TCPConn).SetLinger(0))
	v.Close()
	if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client hears %v", err)
	}
}
