package main

import (
	"bytes"
	"fmt"
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
	return r.word() == "OK" && len(r.raw) > len(line)+1 && fmt.Sprintf("OK %d\r\n", len(r.raw)-len(line)-2) == line
}

func firstLine(b []byte) string {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i+1]
	}
	return string(b)
}
