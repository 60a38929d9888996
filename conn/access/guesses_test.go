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

// late says that right tokens from an address are answered late.
func late(g *Guesses, addr string) bool {
	return g.Right(netip.MustParseAddr(addr)) == LongestDelay
}

// Wrong tokens are answered later and later. After many, right ones are late as well, until a
// minute has passed.
func TestGuessing(t *testing.T) {
	g, now := clock()
	addr := netip.MustParseAddr("10.0.0.1")
	last := time.Duration(0)
	for i := range mostGuesses {
		if d := g.Right(addr); d != 0 {
			t.Fatalf("a right token is answered %v later after %d guesses", d, i)
		}
		d := g.Wrong(addr)
		if d < last || d < firstDelay || d > LongestDelay || i < 5 && d != firstDelay<<i {
			t.Errorf("guess %d is answered %v later, the one before %v", i, d, last)
		}
		last = d
	}
	if last != LongestDelay || !late(g, "10.0.0.1") || !late(g, "::ffff:10.0.0.1") || late(g, "10.0.0.2") {
		t.Error("the guesser, and only the guesser, should be answered late")
	}
	*now = now.Add(guessMemory)
	if g.Right(addr) != 0 || g.Wrong(addr) != firstDelay {
		t.Error("the record is not clean after a minute")
	}
}

// A client of a unix socket waits for the answer to a wrong token, and never to a right one.
func TestGuessingLocally(t *testing.T) {
	g, _ := clock()
	for range 2 * mostGuesses {
		g.Wrong(netip.Addr{})
	}
	if g.Right(netip.Addr{}) != 0 || g.Wrong(netip.Addr{}) != LongestDelay {
		t.Error("want the longest delay for wrong tokens and none for right ones")
	}
}

// All addresses of an IPv6 network are one guesser.
func TestGuessingWithManyAddresses(t *testing.T) {
	g, _ := clock()
	for i := range mostGuesses {
		g.Wrong(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)}))
	}
	if !late(g, "2001:db8::ffff") || late(g, "2001:db8:0:1::1") {
		t.Error("want the network answered late, and its neighbour not")
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
	if g.Right(busy) != LongestDelay {
		t.Error("the busiest guesser is not answered late")
	}
}
