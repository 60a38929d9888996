package binlog

import (
	"encoding/binary"
	"math"

	"beanfield/shard/queue"
)

// layout is how one version, on one kind of machine, arranges a record, which is a
// C struct as it was in memory.
type layout struct {
	name    string
	version uint32
	nameLen int // bytes of the length of the tube's name
	size    int // bytes of the struct
	at      offsets
	unit    int64 // nanoseconds in a unit of time
}

// offsets are where the fields are; the job's id is first.
type offsets struct {
	pri, delay, ttr, body, created, deadline, counters, state int
}

var (
	aligned8 = offsets{8, 16, 24, 32, 40, 48, 56, 76}
	aligned4 = offsets{8, 12, 20, 28, 32, 40, 48, 68}
)

// layouts, of each version the usual one first.
var layouts = []*layout{
	{"version 7", 7, 4, 80, aligned8, 1},
	{"version 7 of a 32-bit x86", 7, 4, 72, aligned4, 1},
	{"version 5", 5, 8, 77, aligned8, 1000},
	{"version 5 of a 32-bit x86", 5, 4, 69, aligned4, 1000},
	{"version 5 of a 32-bit ARM", 5, 4, 77, aligned8, 1000},
}

// The states that a record may have.
const (
	stateDeleted = iota
	stateReady
	stateReserved
	stateBuried
	stateDelayed
)

const (
	maxTubeName = 200
	// maxBody is beanstalkd's largest job, with its CRLF.
	maxBody = 1<<30 + 2
	// maxID is the largest id that beanfield gives.
	maxID  = 1<<53 - 1
	second = 1_000_000_000
)

// fields are what a record says of a job.
type fields struct {
	id                uint64
	pri               uint32
	delay, ttr        int64 // nanoseconds, here and below
	body              int32 // bytes, with CRLF
	created, deadline int64 // since 1970
	counters          [5]uint32
	state             byte
}

// nameLength reads the length of a tube's name.
func (l *layout) nameLength(b []byte) uint64 {
	if l.nameLen == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return uint64(binary.LittleEndian.Uint32(b))
}

func (l *layout) decode(b []byte) fields {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	nanos := func(at int) int64 {
		v := int64(binary.LittleEndian.Uint64(b[at:]))
		if v < 0 || v > math.MaxInt64/l.unit {
			return -1 // which check refuses
		}
		return v * l.unit
	}
	f := fields{
		id: binary.LittleEndian.Uint64(b), pri: u32(l.at.pri),
		delay: nanos(l.at.delay), ttr: nanos(l.at.ttr), body: int32(u32(l.at.body)),
		created: nanos(l.at.created), deadline: nanos(l.at.deadline), state: b[l.at.state],
	}
	for i := range f.counters {
		f.counters[i] = u32(l.at.counters + 4*i)
	}
	return f
}

// check says what is impossible about a record, or "". beanstalkd never writes such a
// record, so a crash or a bad disk left it.
func (f *fields) check() string {
	wholeSeconds := func(d int64) bool { return d >= 0 && d%second == 0 && d/second <= math.MaxUint32 }
	switch {
	case f.id == 0 || f.id > maxID:
		return "impossible id"
	case f.state > stateDelayed:
		return "the state does not exist"
	case f.body < 2 || f.body > maxBody:
		return "impossible size"
	case f.ttr < second || !wholeSeconds(f.ttr):
		return "the TTR is not in whole seconds"
	case !wholeSeconds(f.delay):
		return "the delay is not in whole seconds"
	case f.created <= 0 || f.deadline < 0:
		return "impossible time"
	case f.deadline != 0 && f.delay == 0 && f.counters == [5]uint32{}:
		// Only a delay or a reservation sets a deadline.
		return "it has a deadline, but was never reserved or delayed"
	}
	return ""
}

// sensible says whether the first record of a file, in b, makes sense in this layout.
func (l *layout) sensible(b []byte, fileSize int64) bool {
	if len(b) < l.nameLen+l.size {
		return false
	}
	n := l.nameLength(b)
	if n > maxTubeName || uint64(len(b)) < uint64(l.nameLen)+n+uint64(l.size) {
		return false
	}
	name := b[l.nameLen:][:n]
	if n > 0 && !queue.ValidName(name) {
		return false
	}
	f := l.decode(b[l.nameLen+int(n):])
	if f.check() != "" {
		return false
	}
	return n == 0 || int64(l.nameLen)+int64(n)+int64(l.size)+int64(f.body) <= fileSize
}

// pick chooses the layout of a file from its first record. If the record makes sense
// in no layout, it is the usual one.
func pick(version uint32, first []byte, fileSize int64) *layout {
	var usual *layout
	var other []*layout
	for _, l := range layouts {
		if l.version != version {
			continue
		}
		if usual == nil {
			usual = l
			if l.sensible(first, fileSize) {
				return l
			}
		} else if l.sensible(first, fileSize) {
			other = append(other, l)
		}
	}
	if len(other) == 1 {
		return other[0]
	}
	return usual
}
