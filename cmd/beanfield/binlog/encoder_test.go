package binlog

import (
	"bytes"
	"encoding/binary"
)

// machine writes binlogs as beanstalkd on some kind of machine would. It follows the
// description of the C structs and not layout.go: the fields in order, each aligned
// as the machine wants it.
type machine struct {
	version   uint32
	wordLen   int // bytes of size_t
	alignment int // of 64-bit numbers
}

var (
	amd64v7 = machine{7, 8, 8}
	i386v7  = machine{7, 4, 4}
	amd64v5 = machine{5, 8, 8}
	i386v5  = machine{5, 4, 4}
	armv5   = machine{5, 4, 8}
)

// entry is a record to be written: times in nanoseconds, body without CRLF.
type entry struct {
	tube               string
	id                 uint64
	pri                uint32
	delay, ttr         int64
	created, deadline  int64
	counters           [5]uint32
	state              byte
	body               string
	torn, short, other bool // NULs for a body; without tube and body; a wrong state
}

func (m machine) file(entries ...entry) []byte {
	out := binary.LittleEndian.AppendUint32(nil, m.version)
	for i := range entries {
		out = append(out, m.record(&entries[i])...)
	}
	return out
}

func (m machine) record(e *entry) []byte {
	var out []byte
	name := e.tube
	if e.short {
		name = ""
	}
	if m.version == 5 && m.wordLen == 8 {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(name)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(name)))
	}
	out = append(out, name...)
	out = append(out, m.structure(e)...)
	if e.short {
		return out
	}
	if e.torn {
		return append(out, make([]byte, len(e.body)+2)...)
	}
	return append(append(out, e.body...), "\r\n"...)
}

func (m machine) structure(e *entry) []byte {
	var out []byte
	u64 := func(v uint64) {
		for len(out)%m.alignment != 0 {
			out = append(out, 0)
		}
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	u32 := func(v uint32) { out = binary.LittleEndian.AppendUint32(out, v) }
	unit := int64(1)
	if m.version == 5 {
		unit = 1000
	}
	u64(e.id)
	u32(e.pri)
	u64(uint64(e.delay / unit))
	u64(uint64(e.ttr / unit))
	u32(uint32(len(e.body) + 2))
	u64(uint64(e.created / unit))
	u64(uint64(e.deadline / unit))
	for _, c := range e.counters {
		u32(c)
	}
	state := e.state
	if e.other {
		state = 99
	}
	out = append(out, state)
	for m.version == 7 && len(out)%m.alignment != 0 {
		out = append(out, 0)
	}
	return out
}

// created is a time in the past, in whole microseconds.
const created = 1_700_000_000_123_456_000

// full is a job as put writes it.
func full(id uint64, body string) entry {
	return entry{tube: "mail", id: id, pri: 7, ttr: 60 * second, created: created, state: stateReady, body: body}
}

// now is that job's short record in another state.
func (e entry) now(state byte) entry {
	e.short, e.state = true, state
	if state == stateBuried {
		e.deadline = created + int64(e.id)*second
		e.counters[0]++
		e.counters[3]++
	}
	return e
}

// again is a full copy, as a compaction writes it.
func (e entry) again() entry {
	e.short = false
	return e
}

func zeros(n int) []byte { return bytes.Repeat([]byte{0}, n) }
