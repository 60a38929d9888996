package queueservice

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/shard/queue"
)

// urgency is the job's priority of an item that asks for none. An item that asks for
// priority p gets urgency - p, because a job is the more urgent the smaller its number.
const urgency = 1024

// priorityOf turns what a client says into a job's priority.
func priorityOf(text string) (uint32, error) {
	if text == "" {
		return urgency, nil
	}
	p, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, bad("%s is not a number", paramPriority)
	}
	return uint32(urgency - min(max(p, 0), urgency)), nil
}

// put adds the request's body as an item.
func (q *request) put() error {
	op := q.op(queue.AskPut)
	id, err := q.label(op.Ask, q.query.tags)
	if err != nil {
		return err
	}
	text := q.query.values[paramPriority]
	if text == "" {
		text = q.r.Header.Get(headerPriority)
	}
	if op.Pri, err = priorityOf(text); err != nil {
		return err
	}
	small := smallBodies.Get().(*[]byte)
	defer giveBack(small)
	if err := q.readBody(op, *small, q.maxPayload(), nil); err != nil {
		return err
	}
	if !q.may(access.Put) {
		return errForbidden
	}
	if q.exposes(op) {
		return errExposes
	}
	if err := q.ask(op); err != nil {
		return err
	}
	q.w.Header()[headerRequest] = []string{id}
	var digits [20]byte
	q.answer(http.StatusOK, typeText, strconv.AppendUint(digits[:0], op.ID, 10))
	return nil
}

// label gives an item its tags, among them a request id, which it returns.
func (q *request) label(a *queue.Ask, tags map[string]string) (id string, err error) {
	if tags == nil {
		tags = map[string]string{}
	}
	if tags[queue.TagRequest] == "" {
		tags[queue.TagRequest] = newUUID()
	}
	a.Tags, err = q.pack(tags)
	return tags[queue.TagRequest], err
}

// pack packs tags, unless they are too large.
func (q *request) pack(tags map[string]string) (queue.Tags, error) {
	if strings.ContainsFunc(tags[queue.TagRequest], unicode.IsControl) { // it is sent back in a header
		return nil, bad("%s has a control character", queue.TagRequest)
	}
	most := maxTags
	if m := q.limits.MaxTags; m > 0 {
		most = min(most, m)
	}
	packed := queue.MakeTags(tags)
	if len(packed) > most {
		return nil, bad("tags of more than %d bytes", most)
	}
	return packed, nil
}

// Sizes of the parts of a body. A small body is read into a buffer that is used again,
// because the shard copies it.
const (
	smallBody = 4 << 10
	mostPart  = 1 << 20
)

var smallBodies = sync.Pool{New: func() any { return new(make([]byte, smallBody)) }}

// giveBack ends the use of a small body: everything in it has been copied (queue, B1).
func giveBack(small *[]byte) {
	if spoil != nil {
		spoil(*small)
	}
	smallBodies.Put(small)
}

// spoil overwrites bytes that nobody may use any more. Only tests set it.
var spoil func([]byte)

// maxPayload is how many bytes an item may have.
func (q *request) maxPayload() int {
	if m := q.limits.MaxPayload; m > 0 {
		return min(m, MaxPayload)
	}
	return MaxPayload
}

// errExposes refuses to store a token.
var errExposes = refuse(http.StatusBadRequest, "the item shows a token of a rule")

// exposes says whether an item shows a token that a rule knows. The first part of a large one is
// long enough for that.
func (q *request) exposes(op *queue.Op) bool {
	body := op.Data
	if len(op.Parts) > 0 {
		body = op.Parts[0]
	}
	return q.server.auth.Current.Load().Exposes(body)
}

// errBusy is the answer to a batch for which there is no memory at the moment.
var errBusy = refuse(http.StatusServiceUnavailable, "too many large requests at once")

// readBody reads the request's body, of most bytes, into op. Memory is taken as the bytes
// come, so announcing a large body costs nothing. Parts of it are held in a share, if there is one.
func (q *request) readBody(op *queue.Op, small []byte, most int, held *conn.Share) error {
	announced := q.r.ContentLength
	if announced > int64(most) {
		return errTooLarge
	}
	if announced == 0 {
		return nil
	}
	n, err := q.readPart(small)
	if err == io.EOF {
		op.Data, op.Size = small[:n], uint32(n)
		if n > most {
			return errTooLarge
		}
		return nil
	}
	if err != nil {
		return err
	}
	total := n
	if held != nil && !held.Grow(len(small)) {
		return errBusy
	}
	op.Parts = append(op.Parts, append([]byte(nil), small...))
	for err != io.EOF {
		if total > most {
			return errTooLarge
		}
		size := min(max(total, smallBody), mostPart)
		if announced > 0 {
			size = min(size, int(announced)-total+1) // one byte more, to see the end
		}
		if held != nil && !held.Grow(size) {
			return errBusy
		}
		part := make([]byte, size)
		if n, err = q.readPart(part); err != nil && err != io.EOF {
			return err
		}
		if total += n; n > 0 {
			op.Parts = append(op.Parts, part[:n])
		}
	}
	if total > most {
		return errTooLarge
	}
	op.Size = uint32(total)
	return nil
}

// readPart fills b from the body; io.EOF says that the body has ended.
func (q *request) readPart(b []byte) (n int, err error) {
	q.deadline()
	for n < len(b) && err == nil {
		var more int
		more, err = q.r.Body.Read(b[n:])
		n += more
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, errNoBody
	}
	return n, bad("the body is incomplete")
}
