package binlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"beanfield/shard/queue"
)

// record is one entry of a binlog.
type record struct {
	fields
	at     int64  // where it begins
	full   bool   // it has a tube and a body
	tube   []byte // valid until the next record
	bodyAt int64
	// flaw says why the fields cannot be trusted. torn says that the fields can,
	// and the body cannot.
	flaw string
	torn bool
}

// damage ends the reading of a file.
type damage struct {
	at    int64
	why   string
	blank bool // the file was made, and nothing was written to it
}

func (d *damage) Error() string { return fmt.Sprintf("at %d: %s", d.at, d.why) }

// reader reads the records of one file. It keeps no bodies.
type reader struct {
	in     *bufio.Reader
	at     int64
	size   int64
	layout *layout
	tube   []byte // of the last full record
}

const (
	versionLen = 4
	// maxHead is more than a record has before its body.
	maxHead = 8 + maxTubeName + 80
)

// newReader reads the version. It returns a *damage if that is not 5 or 7.
func newReader(in io.Reader, size int64) (*reader, error) {
	r := &reader{in: bufio.NewReaderSize(in, 256<<10), size: size}
	head, err := r.peek(versionLen + maxHead)
	if err != nil {
		return nil, err
	}
	if len(head) < versionLen {
		return nil, &damage{at: 0, why: "the file is too short for a version; nothing was ever written to it",
			blank: true}
	}
	version := binary.LittleEndian.Uint32(head)
	switch r.layout = pick(version, head[versionLen:], size-versionLen); {
	case version == 0 && r.layout == nil:
		return nil, r.unversioned()
	case version == 7<<24 || version == 5<<24:
		return nil, &damage{at: 0, why: "written by a big-endian machine: not supported"}
	case r.layout == nil:
		return nil, &damage{at: 0, why: fmt.Sprintf("unknown version %d", version)}
	}
	return r, r.skip(versionLen)
}

// unversioned tells a file that beanstalkd filled with zeros and never wrote to,
// because it was killed at that moment, from a file whose version is lost.
func (r *reader) unversioned() error {
	err := r.end(nil, "")
	var d *damage
	switch {
	case errors.Is(err, io.EOF):
		return &damage{at: 0, why: "version 0: the file was made and never written to", blank: true}
	case errors.As(err, &d):
		return &damage{at: 0, why: "version 0, but data after it"}
	}
	return err
}

// peek returns up to n bytes, fewer only at the end of the file.
func (r *reader) peek(n int) ([]byte, error) {
	b, err := r.in.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

func (r *reader) skip(n int) error {
	m, err := r.in.Discard(n)
	r.at += int64(m)
	return err
}

// next returns the next record, io.EOF at an undamaged end of the log, a *damage at a
// damaged one, or another error if the disk fails.
func (r *reader) next() (rec record, err error) {
	b, err := r.peek(maxHead)
	if err != nil {
		return rec, err
	}
	rec.at = r.at
	need := r.layout.nameLen
	if len(b) < need {
		return rec, r.end(b, "")
	}
	n := r.layout.nameLength(b)
	if n > maxTubeName {
		return rec, &damage{at: r.at, why: fmt.Sprintf("impossible name of a tube: %d bytes", n)}
	}
	need += int(n) + r.layout.size
	if len(b) < need {
		return rec, r.end(b, "")
	}
	rec.fields = r.layout.decode(b[need-r.layout.size:])
	if rec.id == 0 {
		return rec, r.end(b[:need], "a torn record, without an id")
	}
	rec.flaw = rec.check()
	if n == 0 {
		return rec, r.skip(need)
	}
	r.tube = append(r.tube[:0], b[r.layout.nameLen:][:n]...)
	rec.full, rec.tube = true, r.tube
	return rec, r.body(&rec, need)
}

// body goes to the end of a full record, unless it cannot be known where that is.
func (r *reader) body(rec *record, head int) error {
	rec.bodyAt = r.at + int64(head)
	switch {
	case !queue.ValidName(rec.tube):
		return &damage{at: r.at, why: "impossible name of a tube"}
	case rec.body < 2 || rec.body > maxBody:
		return &damage{at: r.at, why: fmt.Sprintf("impossible body: %d bytes", rec.body)}
	case rec.bodyAt+int64(rec.body) > r.size:
		return &damage{at: r.at, why: fmt.Sprintf("the file ends within job %d", rec.id)}
	}
	if err := r.skip(head + int(rec.body) - 2); err != nil {
		return err
	}
	last, err := r.peek(2)
	if err != nil {
		return err
	}
	rec.torn = string(last) != "\r\n"
	if rec.torn && rec.flaw != "" {
		// Neither fields nor body make sense: this may not be a record at all.
		return &damage{at: rec.at, why: rec.flaw}
	}
	return r.skip(len(last))
}

// end is called where no record begins. It returns io.EOF if only zeros follow, which
// is the end of the log, and a *damage if a torn record follows or data after a hole.
func (r *reader) end(b []byte, why string) error {
	at := r.at
	if !zero(b) {
		if why == "" {
			why = fmt.Sprintf("the file ends within a record, %d bytes after its beginning", len(b))
		}
		return &damage{at: at, why: why}
	}
	for {
		b, err := r.peek(4096)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			return io.EOF
		}
		if !zero(b) {
			return &damage{at: at, why: "zeros, but data after them"}
		}
		if err := r.skip(len(b)); err != nil {
			return err
		}
	}
}

func zero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
