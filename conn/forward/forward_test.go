package forward

import (
	"net/netip"
	"testing"
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
