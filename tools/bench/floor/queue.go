//go:build linux

package floor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// A queue is as much of a queue as cycles of put, reserve and delete need: one tube,
// first in, first out.
type queue struct {
	jobs    []job  // by id, modulo their number; twice as many when two ids meet
	last    uint64 // the highest id
	next    uint64 // the one that is reserved next
	deleted uint64
}

type job struct {
	id   uint64 // 0: deleted
	body []byte
}

// firstJobs is more than any load of cycles has at a time.
const firstJobs = 1 << 16

func newQueue() *queue { return &queue{jobs: make([]job, firstJobs), next: 1} }

// A turn has the replies to what one connection has sent, and what of it the log must
// have before they leave.
type turn struct{ out, log []byte }

// run takes the complete commands of in and tells how many bytes they are.
func (q *queue) run(in []byte, t *turn) (taken int, err error) {
	for {
		rest := in[taken:]
		end := bytes.IndexByte(rest, '\n')
		if end < 1 {
			return taken, nil
		}
		body, err := q.command(rest[:end-1], rest[end+1:], t)
		if err != nil || body < 0 {
			return taken, err
		}
		taken += end + 1 + body
	}
}

// command runs one. It tells how many bytes a body took, -1 if that has not come yet.
func (q *queue) command(line, rest []byte, t *turn) (int, error) {
	verb, argument, _ := bytes.Cut(line, []byte(" "))
	switch string(verb) {
	case "put":
		return q.put(line, rest, t)
	case "reserve":
		return 0, q.reserve(t)
	case "delete":
		return 0, q.delete(argument, t)
	case "use":
		t.out = fmt.Appendf(t.out, "USING %s\r\n", argument)
	case "watch", "ignore":
		t.out = append(t.out, "WATCHING 1\r\n"...)
	case "stats":
		text := fmt.Sprintf("total-jobs: %d\ncurrent-jobs-ready: %d\ncurrent-jobs-reserved: "+
			"%d\ncurrent-jobs-delayed: 0\ncurrent-jobs-buried: 0\n",
			q.last, q.last+1-q.next, q.next-1-q.deleted)
		t.out = fmt.Appendf(t.out, "OK %d\r\n%s\r\n", len(text), text)
	default:
		t.out = append(t.out, "UNKNOWN_COMMAND\r\n"...)
	}
	return 0, nil
}

func (q *queue) put(line, rest []byte, t *turn) (int, error) {
	size, ok := number(line[bytes.LastIndexByte(line, ' ')+1:])
	if !ok || size > readMost {
		return 0, fmt.Errorf("a put with a wrong size: %.40q", line)
	}
	n := int(size)
	if len(rest) < n+len("\r\n") {
		return -1, nil
	}
	q.last++
	for q.at(q.last).id != 0 {
		q.grow()
	}
	j := q.at(q.last)
	j.id, j.body = q.last, append(j.body[:0], rest[:n]...)
	t.log = binary.LittleEndian.AppendUint64(append(t.log, 'p'), j.id)
	t.log = append(binary.LittleEndian.AppendUint32(t.log, uint32(n)), j.body...)
	t.out = append(strconv.AppendUint(append(t.out, "INSERTED "...), j.id, 10), "\r\n"...)
	return n + len("\r\n"), nil
}

func (q *queue) at(id uint64) *job { return &q.jobs[id%uint64(len(q.jobs))] }

func (q *queue) grow() {
	old := q.jobs
	q.jobs = make([]job, 2*len(old))
	for _, j := range old {
		if j.id != 0 {
			*q.at(j.id) = j
		}
	}
}

// reserve never waits: in cycles there has been a put for each.
func (q *queue) reserve(t *turn) error {
	if q.next > q.last {
		return errors.New("a reserve would have to wait")
	}
	j := q.at(q.next)
	q.next++
	t.out = strconv.AppendUint(append(t.out, "RESERVED "...), j.id, 10)
	t.out = strconv.AppendInt(append(t.out, ' '), int64(len(j.body)), 10)
	t.out = append(append(append(t.out, "\r\n"...), j.body...), "\r\n"...)
	return nil
}

func (q *queue) delete(argument []byte, t *turn) error {
	id, ok := number(argument)
	j := q.at(id)
	if !ok || j.id != id || id >= q.next {
		return fmt.Errorf("a delete of a job that is not reserved: %.40q", argument)
	}
	j.id = 0
	q.deleted++
	t.log = binary.LittleEndian.AppendUint64(append(t.log, 'd'), id)
	t.out = append(t.out, "DELETED\r\n"...)
	return nil
}

// number reads digits, and nothing else.
func number(digits []byte) (n uint64, ok bool) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + uint64(d-'0')
	}
	return n, len(digits) > 0 && len(digits) < 19
}
