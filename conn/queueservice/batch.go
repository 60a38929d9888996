package queueservice

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf8"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/shard/queue"
)

const typeLines = "application/x-ndjson"

// line is an item of a batch.
type line struct {
	Data     *string           `json:"data"`
	Data64   *string           `json:"data64"`
	Tags     map[string]string `json:"tags"`
	Priority int64             `json:"priority"`
}

// mostLines is how many lines a batch may have: the indexes of items may be longer than they.
const mostLines = 500_000

// putMany adds an item for each line of the request's body, and answers with all
// indexes. Wrong lines are found before anything is put. The body stays in the parts in which it
// has come, so that it is in memory once.
func (q *request) putMany() error {
	if kind, _, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type")); kind != typeLines {
		return refuse(http.StatusUnsupportedMediaType, "a batch must be "+typeLines)
	}
	small := smallBodies.Get().(*[]byte)
	defer giveBack(small)
	var body queue.Op
	held := conn.Share{Of: &q.server.bodies, By: q.client}
	defer held.End()
	if err := q.readBody(&body, *small, q.set.MaxBatch, &held); err != nil {
		return err
	}
	parts, lines := append([][]byte{body.Data}, body.Parts...), 0
	for _, part := range parts {
		lines += bytes.Count(part, newline)
	}
	if lines > mostLines {
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("a batch has at most %d lines", mostLines))
	}
	if err := q.eachLine(parts, func(*queue.Op) error { return nil }); err != nil {
		return err
	}
	if !q.may(access.Put) {
		return errForbidden
	}
	m := &many{request: q, indexes: []byte{'['}}
	err := q.eachLine(parts, m.add)
	if err == nil {
		err = m.put()
	}
	if err != nil {
		return err
	}
	q.answer(http.StatusOK, typeJSON, append(m.indexes, ']'))
	return nil
}

// eachLine calls show with the item of each line. It makes each item only for that call:
// all items of a body of short lines would take hundreds of times its length.
func (q *request) eachLine(parts [][]byte, show func(*queue.Op) error) error {
	number := 0
	line := func(text []byte) error {
		number++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return nil
		}
		op, err := q.lineOp(text)
		if err != nil {
			f := &failure{http.StatusBadRequest, err.Error()}
			errors.As(err, &f)
			return refuse(f.status, fmt.Sprintf("line %d: %s", number, f.text))
		}
		return show(op)
	}
	var begun []byte // a line of which the rest is in a later part
	for _, part := range parts {
		for len(part) > 0 {
			text, rest, whole := bytes.Cut(part, newline)
			if part = rest; !whole {
				begun = append(begun, text...)
				break
			}
			if len(begun) > 0 {
				text = append(begun, text...)
				begun = begun[:0]
			}
			if err := line(text); err != nil {
				return err
			}
		}
	}
	return line(begun)
}

var newline = []byte("\n")

// mostPuts is how many items are put at once, and mostPutBytes about how many bytes of them: a
// shard serves nobody else meanwhile.
const (
	mostPuts     = queue.Slice
	mostPutBytes = 1 << 20
)

// many puts items, up to mostPuts at a time.
type many struct {
	*request
	ops     []queue.Op
	bytes   int    // of their bodies
	indexes []byte // of those that have been put
}

func (m *many) add(op *queue.Op) error {
	m.ops = append(m.ops, *op)
	if m.bytes += len(op.Data); len(m.ops) < mostPuts && m.bytes < mostPutBytes {
		return nil
	}
	return m.put()
}

func (m *many) put() error {
	if len(m.ops) == 0 {
		return nil
	}
	m.server.shards.AskAll(m.ops)
	for i := range m.ops {
		if err := failed(m.ops[i].Status); err != nil {
			f := err.(*failure)
			return refuse(f.status, f.text+"; put were "+string(append(m.indexes, ']')))
		}
		if len(m.indexes) > 1 {
			m.indexes = append(m.indexes, ',')
		}
		m.indexes = strconv.AppendUint(m.indexes, m.ops[i].ID, 10)
	}
	clear(m.ops)
	m.ops, m.bytes = m.ops[:0], 0
	return nil
}

var errItemTooLarge = refuse(http.StatusRequestEntityTooLarge, "the item is too large")

// lineOp turns a line into a put.
func (q *request) lineOp(text []byte) (*queue.Op, error) {
	var l line
	if !utf8.Valid(text) {
		return nil, bad("not UTF-8")
	}
	if rest, err := readJSON(text, &l); err != nil {
		return nil, bad("not an item in JSON: %v", err)
	} else if rest {
		return nil, bad("something after the item")
	}
	op := q.op(queue.AskPut)
	switch {
	case l.Data != nil && l.Data64 != nil:
		return nil, bad("both data and data64")
	case l.Data != nil:
		op.Data = []byte(*l.Data)
	case l.Data64 != nil:
		data, err := base64.StdEncoding.DecodeString(*l.Data64)
		if err != nil {
			return nil, bad("data64 is not base64")
		}
		op.Data = data
	}
	if len(op.Data) > q.maxPayload() {
		return nil, errItemTooLarge
	}
	op.Size = uint32(len(op.Data))
	op.Pri = uint32(urgency - min(max(l.Priority, 0), urgency))
	for k := range l.Tags {
		if k == "" || k[0] == '_' {
			return nil, bad("a tag's name is empty or begins with _")
		}
	}
	if q.exposes(op) {
		return nil, errExposes
	}
	if _, err := q.label(op.Ask, l.Tags); err != nil {
		return nil, err
	}
	return op, nil
}
