package generator

import (
	"bytes"
	"fmt"
)

// A word is the first word of a reply to the generator.
type word uint8

const (
	wordInserted word = iota
	wordReserved
	wordDeleted
	wordUsing
	wordOther // any other: always wrong, kept to be shown
)

func (w word) String() string {
	return [...]string{"INSERTED", "RESERVED", "DELETED", "USING", "another reply"}[w]
}

// A Reply points into the buffer it was parsed from.
type Reply struct {
	Word word
	ID   uint64 // INSERTED, RESERVED
	Body []byte // RESERVED
	line []byte // the first line, without its CRLF
}

// maxReplyLine bounds what is kept while a line's end has not arrived. The longest
// valid line is USING with a name of 200 bytes.
const maxReplyLine = 512

// Parse reads one reply from the start of buf and gives the bytes it took. It takes
// 0 bytes, and no error, when the reply has not arrived completely.
func (r *Reply) Parse(buf []byte) (int, error) {
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
	r.line, r.Body, r.ID = line, nil, 0
	switch {
	case len(line) > 9 && string(line[:9]) == "INSERTED ":
		r.Word = wordInserted
		return end + 1, r.number(line[9:])
	case len(line) > 9 && string(line[:9]) == "RESERVED ":
		r.Word = wordReserved
		return r.job(buf, line[9:], end+1)
	case string(line) == "DELETED":
		r.Word = wordDeleted
	case len(line) > 6 && string(line[:6]) == "USING ":
		r.Word = wordUsing
	default:
		r.Word = wordOther
	}
	return end + 1, nil
}

func (r *Reply) number(digits []byte) error {
	id, ok := decimal(digits)
	if !ok {
		return fmt.Errorf("a reply with a bad number: %.80q", r.line)
	}
	r.ID = id
	return nil
}

// job parses what follows RESERVED: id, size, and after the line's end, which is at
// start, the body and its CRLF.
func (r *Reply) job(buf, rest []byte, start int) (int, error) {
	space := bytes.IndexByte(rest, ' ')
	if space < 0 {
		return 0, fmt.Errorf("a reserved job without a size: %.80q", r.line)
	}
	id, ok1 := decimal(rest[:space])
	size, ok2 := decimal(rest[space+1:])
	if !ok1 || !ok2 || size > 1<<30 {
		return 0, fmt.Errorf("a reserved job with a bad number: %.80q", r.line)
	}
	end := start + int(size)
	if len(buf) < end+2 {
		return 0, nil
	}
	if buf[end] != '\r' || buf[end+1] != '\n' {
		return 0, fmt.Errorf("job %d: its %d bytes are not followed by CRLF", id, size)
	}
	r.ID, r.Body = id, buf[start:end]
	return end + 2, nil
}

// decimal reads a whole slice as an unsigned number of at most 19 digits.
func decimal(digits []byte) (uint64, bool) {
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	var n uint64
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + uint64(d-'0')
	}
	return n, true
}
