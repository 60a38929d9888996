package access

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

// clock is a Guesses whose time the test sets.
func clock() (*Guesses, *time.Time) {
	now := time.Unix(1_700_000_000, 0)
	return &Guesses{Now: func() time.Time { return now }}, &now
}

// Wrong tokens are answered later and later, until a minute has passed without one.
func TestGuessing(t *testing.T) {
	g, now := clock()
	addr := netip.MustParseAddr("10.0.0.1")
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
		d := g.Wrong(addr)
		if d != want*firstDelay {
			t.Errorf("guess %d is answered %v later, want %v", i, d, want*firstDelay)
		}
		g.Answered(addr)
	}
	if d := g.Wrong(netip.MustParseAddr("::ffff:10.0.0.1")); d != LongestDelay {
		t.Errorf("the same address is another: %v", d)
	}
	if d := g.Wrong(netip.MustParseAddr("10.0.0.2")); d != firstDelay {
		t.Errorf("another address is the same: %v", d)
	}
	*now = now.Add(guessMemory)
	if d := g.Wrong(addr); d != firstDelay {
		t.Errorf("the record is not clean after a minute: %v", d)
	}
}

// Clients of unix sockets, who have no address, and all addresses of an IPv6 network count as one.
func TestGuessersAreOne(t *testing.T) {
	g, _ := clock()
	for i := range mostWaiting + 1 {
		late := g.Wrong(netip.Addr{}) > 0
		alike := g.Wrong(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)})) > 0
		if late != (i < mostWaiting) || alike != late {
			t.Errorf("answer %d waits: %v, %v", i, late, alike)
		}
	}
	if g.Wrong(netip.MustParseAddr("2001:db8:0:1::1")) != firstDelay {
		t.Error("a neighbour is the same")
	}
}

// Few answers wait at a time, of one address and of all; when one waits no more, another may.
func TestGuessesThatWait(t *testing.T) {
	g, _ := clock()
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }
	waiting := 0
	for i := range mostWaitingAll {
		for n := range mostWaiting + 3 {
			late := g.Wrong(addr(i)) > 0
			if want := n < mostWaiting && waiting < mostWaitingAll; late != want {
				t.Fatalf("answer %d to address %d waits: %v", n, i, late)
			}
			if late {
				waiting++
			}
		}
	}
	if waiting != mostWaitingAll || g.waiting != waiting {
		t.Errorf("%d wait, counted are %d", waiting, g.waiting)
	}
	g.Answered(addr(0))
	if g.Wrong(addr(0)) == 0 || g.Wrong(addr(1)) > 0 {
		t.Error("one that is answered does not let one more wait")
	}
	for range mostWaitingAll {
		g.Answered(addr(0)) // also of those that have been forgotten
	}
	if g.waiting != 0 {
		t.Errorf("%d wait when all have been answered", g.waiting)
	}
}

// A3: a flood from very many addresses takes bounded memory, and who guesses all the time is
// not forgotten for it as long as others have been quiet for longer.
func TestGuessingFlood(t *testing.T) {
	g, now := clock()
	busy := netip.MustParseAddr("192.0.2.1")
	for i := range 3 * guessers {
		*now = now.Add(time.Millisecond)
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], 10<<24+uint32(i))
		for _, addr := range []netip.Addr{netip.AddrFrom4(a), busy} {
			g.Wrong(addr)
			g.Answered(addr)
		}
		if len(g.by) > guessers {
			t.Fatalf("%d addresses are remembered", len(g.by))
		}
	}
	if d := g.Wrong(busy); d != LongestDelay {
		t.Errorf("the busiest guesser is answered after %v", d)
	}
}
