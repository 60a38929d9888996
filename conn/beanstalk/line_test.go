package beanstalk

import (
	"bytes"
	"strings"
	"testing"
)

// referenceLines cuts a stream as the protocol describes it: at CRLF, where
// a line of more than maxLine bytes is only noted as too long.
func referenceLines(stream string) (lines []string, rest string) {
	for {
		line, after, ok := strings.Cut(stream, "\r\n")
		if !ok {
			return lines, stream
		}
		if len(line) > maxLine {
			line = "(too long)"
		}
		lines = append(lines, line)
		stream = after
	}
}

// streams to cut, of which the longer ones have their ends around maxLine.
func lineStreams() (all []string) {
	all = []string{
		"", "\r", "\n", "\r\n", "a\r\n", "a\nb\r\nc", "\r\r\n", "a\rb\r\n\r\n", "\n\r\n\r", "ab\r\ncd\r\nef",
	}
	for n := maxLine - 3; n <= maxLine+4; n++ {
		x := strings.Repeat("x", n)
		all = append(all, x, x+"\r", x+"\r\n", x+"\r\nnext\r\n", x+"\n\r\nnext\r\n", x+"\r\r\nnext\r\n", x+"\ry\r\n", x+"\ry\nz\r\nnext\r\n")
	}
	long := strings.Repeat("long", 120)
	return append(all, long+"\r\nnext\r\n", long+"\r\r\r\n\r\nnext\r\n", long+"\n\r"+long+"\r\nnext\r\n")
}

// TestNextLine finds the lines of each stream when all of it is there.
func TestNextLine(t *testing.T) {
	for _, stream := range lineStreams() {
		want, left := referenceLines(stream)
		data := []byte(stream)
		for i, w := range want {
			line, rest, state := nextLine(data)
			switch {
			case w == "(too long)":
				if state != lineTooLong {
					t.Fatalf("%q, line %d: state %d, want too long", stream, i, state)
				}
				_, after, _ := bytes.Cut(data, []byte("\r\n"))
				rest = after
			case state != lineComplete || string(line) != w:
				t.Fatalf("%q, line %d: %q, state %d, want %q", stream, i, line, state, w)
			}
			data = rest
		}
		if string(data) != left {
			t.Fatalf("%q leaves %q, want %q", stream, data, left)
		}
		want1 := lineIncomplete
		if len(left) >= maxLine+2 {
			want1 = lineTooLong // whatever comes, it will be
		}
		if _, _, state := nextLine(data); state != want1 && len(left) != maxLine+1 {
			t.Fatalf("%q: the rest has state %d, want %d", stream, state, want1)
		}
	}
}

// skipAlone makes a connection that is good for skipping only.
func skipAlone() *Conn { return &Conn{loop: &loop{}} }

// TestSkipLine throws a line away that comes in two pieces, torn at every
// byte, and in single bytes.
func TestSkipLine(t *testing.T) {
	for _, stream := range lineStreams() {
		if !strings.Contains(stream, "\r\n") {
			continue
		}
		_, want, _ := strings.Cut(stream, "\r\n")
		for cut := range len(stream) + 1 {
			c := skipAlone()
			rest := string(c.skipLine([]byte(stream[:cut])))
			if c.skip.on() {
				rest += string(c.skipSome([]byte(stream[cut:])))
			} else {
				rest += stream[cut:]
			}
			if rest != want || c.skip.on() || string(c.loop.out) != string(badFormat) {
				t.Fatalf("%q torn at %d: rest %q, still on %t, out %q, want %q", stream, cut, rest, c.skip.on(), c.loop.out, want)
			}
		}
		c := skipAlone()
		c.skip = skipper{line: true}
		n := 0
		for ; c.skip.on(); n++ {
			c.skipSome([]byte{stream[n]})
		}
		if stream[n:] != want || string(c.loop.out) != string(badFormat) {
			t.Fatalf("%q byte by byte: rest %q, out %q, want %q", stream, stream[n:], c.loop.out, want)
		}
	}
}

// TestSkipBody throws away exactly as many bytes as were promised.
func TestSkipBody(t *testing.T) {
	const stream = "0123456789\r\nnext"
	for size := 1; size < len(stream); size++ {
		for cut := range len(stream) + 1 {
			c := skipAlone()
			c.skip.body(int64(size))
			var rest string
			for _, piece := range []string{stream[:cut], stream[cut:]} {
				data := []byte(piece)
				if c.skip.on() && len(data) > 0 {
					data = c.skipSome(data)
				}
				rest += string(data)
			}
			if rest != stream[size:] || string(c.loop.out) != string(jobTooBig) {
				t.Fatalf("%d bytes torn at %d: rest %q, out %q", size, cut, rest, c.loop.out)
			}
		}
	}
}
