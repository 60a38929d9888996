package protocol

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
		if len(line) > MaxLine {
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
	for n := MaxLine - 3; n <= MaxLine+4; n++ {
		x := strings.Repeat("x", n)
		all = append(all, x, x+"\r", x+"\r\n", x+"\r\nnext\r\n", x+"\n\r\nnext\r\n", x+"\r\r\nnext\r\n", x+"\ry\r\n",
			x+"\ry\nz\r\nnext\r\n")
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
			line, rest, state := NextLine(data)
			switch {
			case w == "(too long)":
				if state != TooLong {
					t.Fatalf("%q, line %d: state %d, want too long", stream, i, state)
				}
				_, after, _ := bytes.Cut(data, []byte("\r\n"))
				rest = after
			case state != Complete || string(line) != w:
				t.Fatalf("%q, line %d: %q, state %d, want %q", stream, i, line, state, w)
			}
			data = rest
		}
		if string(data) != left {
			t.Fatalf("%q leaves %q, want %q", stream, data, left)
		}
		want1 := Incomplete
		if len(left) >= MaxLine+2 {
			want1 = TooLong // whatever comes, it will be
		}
		if _, _, state := NextLine(data); state != want1 && len(left) != MaxLine+1 {
			t.Fatalf("%q: the rest has state %d, want %d", stream, state, want1)
		}
	}
}

// Lines of some commands may be longer; their ends are found at any length, and one byte more is too
// much.
func TestLongerLines(t *testing.T) {
	for _, l := range longer {
		for _, n := range []int{MaxLine, MaxLine + 1, l.most - 1, l.most, l.most + 1} {
			line := l.word + strings.Repeat("x", n-len(l.word))
			got, rest, state := NextLine([]byte(line + "\r\nnext\r\n"))
			switch {
			case n > l.most && state != TooLong:
				t.Errorf("%s: %d bytes are %d", l.word, n, state)
			case n <= l.most && (state != Complete || string(got) != line || string(rest) != "next\r\n"):
				t.Errorf("%s: %d bytes are %d, and leave %q", l.word, n, state, rest)
			}
			if _, _, state := NextLine([]byte(line)); n <= l.most && state != Incomplete {
				t.Errorf("%s: %d bytes without an end are %d", l.word, n, state)
			}
		}
		if _, _, state := NextLine([]byte(strings.ToUpper(l.word) + strings.Repeat("x", MaxLine) +
			"\r\n")); state != TooLong {
			t.Errorf("%s: in capitals: %d", l.word, state)
		}
	}
}
