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

// Wrong tokens are answered later and later, then refused, until a minute has passed.
func TestGuessing(t *testing.T) {
	g, now := clock()
	addr, other := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	last := time.Duration(0)
	for i := range mostGuesses {
		if g.Refused(addr) {
			t.Fatalf("refused after %d guesses", i)
		}
		d := g.Wrong(addr)
		if d < last || d < firstDelay || d > LongestDelay || i < 5 && d != firstDelay<<i {
			t.Errorf("guess %d is answered %v later, the one before %v", i, d, last)
		}
		last = d
	}
	if last != LongestDelay || !g.Refused(addr) || !g.Refused(netip.MustParseAddr("::ffff:10.0.0.1")) || g.Refused(other) {
		t.Error("the guesser, and only the guesser, should be refused")
	}
	*now = now.Add(guessMemory)
	if g.Refused(addr) || g.Wrong(addr) != firstDelay {
		t.Error("the record is not clean after a minute")
	}
}

// A client of a unix socket is answered late, but not refused.
func TestGuessingLocally(t *testing.T) {
	g, _ := clock()
	for range 2 * mostGuesses {
		g.Wrong(netip.Addr{})
	}
	if g.Refused(netip.Addr{}) || g.Wrong(netip.Addr{}) != LongestDelay {
		t.Error("want the longest delay and no refusal")
	}
}

// All addresses of an IPv6 network are one guesser.
func TestGuessingWithManyAddresses(t *testing.T) {
	g, _ := clock()
	for i := range mostGuesses {
		g.Wrong(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)}))
	}
	if !g.Refused(netip.MustParseAddr("2001:db8::ffff")) || g.Refused(netip.MustParseAddr("2001:db8:0:1::1")) {
		t.Error("want the network refused, and its neighbour not")
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
		g.Wrong(netip.AddrFrom4(a))
		g.Wrong(busy)
		if len(g.by) > guessers {
			t.Fatalf("%d addresses are remembered", len(g.by))
		}
	}
	if !g.Refused(busy) {
		t.Error("the busiest guesser is not refused")
	}
}
