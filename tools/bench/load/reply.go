//go:build linux

package load

import (
	"bytes"
	"fmt"
)

// A word is the first word of a reply to the generator.
type word uint8

const (
	wordOther word = iota // always wrong, kept to be shown
	wordInserted
	wordReserved
	wordDeleted
	wordUsing
)

// A reply points into the buffer it was parsed from.
type reply struct {
	word word
	id   uint64 // INSERTED, RESERVED
	body []byte // RESERVED
	line []byte // the first line, without its CRLF
}

// maxReplyLine bounds what is kept while a line's end has not arrived. The longest valid line is USING with a name of
// 200 bytes.
const maxReplyLine = 512

// parse reads one reply from the start of buf and gives the bytes it took. It takes 0 bytes, and no error, when the
// reply has not arrived completely.
func (r *reply) parse(buf []byte) (int, error) {
	end := bytes.IndexByte(buf, '\n')
	if end < 0 {
		if len(buf) > maxReplyLine {
			return 0, fmt.Errorf("a reply line of more than %d bytes: %.80q", maxReplyLine, buf)
		}
		return 0, nil
	}
	if end == 0 || buf[end-1] != '\r' {
		return 0, fmt.Errorf("a reply line that does not end in CRLF: %.80q", buf[:end+1])
	}
	line := buf[:end-1]
	end++
	*r = reply{line: line}
	size, ok := uint64(0), true
	switch {
	case len(line) > 9 && string(line[:9]) == "INSERTED ":
		r.word = wordInserted
		r.id, ok = decimal(line[9:])
	case len(line) > 9 && string(line[:9]) == "RESERVED ":
		r.word = wordReserved
		space := 9 + max(0, bytes.IndexByte(line[9:], ' '))
		r.id, ok = decimal(line[9:space])
		if ok {
			size, ok = decimal(line[space+1:])
		}
	case string(line) == "DELETED":
		r.word = wordDeleted
	case len(line) > 6 && string(line[:6]) == "USING ":
		r.word = wordUsing
	}
	if !ok || size > 1<<30 {
		return 0, fmt.Errorf("a reply with a bad number: %.80q", line)
	}
	if r.word != wordReserved {
		return end, nil
	}
	// After the line's end comes the body with its CRLF.
	rest := buf[end:]
	if n := int(size); len(rest) < n+2 {
		return 0, nil
	} else if rest[n] != '\r' || rest[n+1] != '\n' {
		return 0, fmt.Errorf("job %d: its %d bytes are not followed by CRLF", r.id, size)
	} else {
		r.body = rest[:n]
		return end + n + 2, nil
	}
}

// decimal reads a whole slice as an unsigned number of at most 19 digits.
func decimal(digits []byte) (n uint64, ok bool) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + uint64(d-'0')
	}
	return n, len(digits) > 0 && len(digits) < 20
}
