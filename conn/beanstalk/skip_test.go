package beanstalk

import (
	"strings"
	"testing"

	"beanfield/conn/beanstalk/protocol"
)

// skipAlone makes a connection that is good for skipping only.
func skipAlone() *Conn { return &Conn{loop: &loop{server: &Server{}}} }

// skippedLines are lines with what follows them; the longer ones have their ends around
// protocol.MaxLine.
func skippedLines() (all []string) {
	all = []string{"\r\n", "a\r\n", "a\nb\r\nc", "\r\r\n", "a\rb\r\n\r\n", "\n\r\n\r", "ab\r\ncd\r\nef"}
	for n := protocol.MaxLine - 3; n <= protocol.MaxLine+4; n++ {
		for _, end := range []string{"\r\n", "\r\nnext\r\n", "\n\r\nnext\r\n", "\r\r\nnext\r\n", "\ry\r\n",
			"\ry\nz\r\nnext\r\n"} {
			all = append(all, strings.Repeat("x", n)+end)
		}
	}
	long := strings.Repeat("long", 120)
	return append(all, long+"\r\nnext\r\n", long+"\r\r\r\n\r\nnext\r\n", long+"\n\r"+long+"\r\nnext\r\n")
}

// TestSkipLine throws a line away that comes in two pieces, torn at every
// byte, and in single bytes.
func TestSkipLine(t *testing.T) {
	for _, stream := range skippedLines() {
		_, want, _ := strings.Cut(stream, "\r\n")
		for cut := range len(stream) + 1 {
			c := skipAlone()
			rest := string(c.skipLine([]byte(stream[:cut])))
			if c.skip.on() {
				rest += string(c.skipSome([]byte(stream[cut:])))
			} else {
				rest += stream[cut:]
			}
			if rest != want || c.skip.on() || string(c.loop.Out) != string(protocol.BadFormat) {
				t.Fatalf("%q torn at %d: rest %q, still on %t, out %q, want %q", stream, cut, rest, c.skip.on(),
					c.loop.Out, want)
			}
		}
		c := skipAlone()
		c.skip = skipper{line: true}
		n := 0
		for ; c.skip.on(); n++ {
			c.skipSome([]byte{stream[n]})
		}
		if stream[n:] != want || string(c.loop.Out) != string(protocol.BadFormat) {
			t.Fatalf("%q byte by byte: rest %q, out %q, want %q", stream, stream[n:], c.loop.Out, want)
		}
	}
}
