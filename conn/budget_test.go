package conn

import (
	"net/netip"
	"testing"
)

type holder string

func (h holder) Peer() (p Peer) {
	p.Addr = netip.MustParseAddrPort(string(h))
	return p
}

// The connections of one address have at most half of a budget, and others always find room.
func TestBudgetOfOneClient(t *testing.T) {
	for one, others := range map[holder][]holder{
		"192.0.2.1:1":      {"192.0.2.2:1", "192.0.2.3:1"},
		"[2001:db8::1]:77": {"[2001:db8:0:1::1]:77", "192.0.2.1:77"},
	} {
		const part, all = 1 << 10, 1 << 20
		r := &Budget{}
		r.Bound(all)
		var shares []*Share
		take := func(by holder) (got int) {
			for {
				s := &Share{Of: r, By: by}
				if shares = append(shares, s); !s.Grow(uncounted) {
					t.Fatalf("%s has no room for a usual body", by)
				}
				if !s.Grow(part) {
					return got
				}
				got += part
			}
		}
		if got := take(one); got != all/2 {
			t.Errorf("%s takes %d of %d", one, got, all)
		}
		again := netip.MustParseAddrPort(string(one))
		if got := take(holder(netip.AddrPortFrom(again.Addr(), 2).String())); got != 0 {
			t.Errorf("another connection of %s takes %d more", one, got)
		}
		for i, other := range others {
			if got, want := take(other), all/4>>i; got != want {
				t.Errorf("%s takes %d beside %s, want %d", other, got, one, want)
			}
		}
		for _, s := range shares {
			s.End()
		}
		if r.Held() != 0 || len(r.of) != 0 {
			t.Errorf("%d bytes are held, by %d clients", r.Held(), len(r.of))
		}
	}
}
