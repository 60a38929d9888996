package main

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

// reply is one answer, byte for byte as it came, or the end of the connection.
type reply struct {
	raw []byte
	eof bool
}

// String shows a reply in a form that fits a report.
func (r reply) String() string {
	if r.eof {
		return "(connection closed)"
	}
	return strconv.Quote(string(r.raw))
}

// word is the first word of the reply.
func (r reply) word() string {
	if i := bytes.IndexAny(r.raw, " \r\n"); i >= 0 {
		return string(r.raw[:i])
	}
	return string(r.raw)
}

// id is the number after the first word: the job of INSERTED, RESERVED, FOUND.
func (r reply) id() (uint64, bool) {
	fields := strings.Fields(firstLine(r.raw))
	if len(fields) < 2 {
		return 0, false
	}
	id, err := strconv.ParseUint(fields[1], 10, 64)
	return id, err == nil
}

// value finds "key: value" in the YAML of a stats reply.
func (r reply) value(key string) (string, bool) {
	for line := range strings.SplitSeq(string(r.raw), "\n") {
		if v, ok := strings.CutPrefix(line, key+": "); ok {
			return v, true
		}
	}
	return "", false
}

// isYAML tells a complete reply of stats or of a list.
func (r reply) isYAML() bool {
	line := firstLine(r.raw)
	n, ok := bodySize([]byte(line))
	return ok && r.word() == "OK" && len(r.raw) == len(line)+n+2
}

func firstLine(b []byte) string {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i+1]
	}
	return string(b)
}

// largestBody bounds what a reply may claim to carry. A larger number is taken for
// nonsense, and the line for the whole reply.
const largestBody = 1 << 31

// readReply reads one reply: a line, and the body it announces. What is left
// when the stream ends in the middle is returned as it is, before the error.
func readReply(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return line, err
	}
	n, ok := bodySize(line)
	if !ok {
		return line, nil
	}
	raw := make([]byte, len(line)+n+2)
	copy(raw, line)
	got, err := io.ReadFull(r, raw[len(line):])
	return raw[:len(line)+got], err
}

// bodySize tells how many bytes follow the line, not counting the last CRLF.
func bodySize(line []byte) (int, bool) {
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return 0, false
	}
	size := -1
	switch string(fields[0]) {
	case "OK":
		size = 1
	case "FOUND", "RESERVED":
		size = 2
	}
	if size < 0 || len(fields) != size+1 {
		return 0, false
	}
	n, err := strconv.Atoi(string(fields[size]))
	if err != nil || n < 0 || n > largestBody {
		return 0, false
	}
	return n, true
}
