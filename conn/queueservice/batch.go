package queueservice

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf8"

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

// putMany adds an item for each line of the request's body, and answers with all
// indexes. The body may be as long as that of one item. Wrong lines are found before
// anything is put.
func (q *request) putMany() error {
	if kind, _, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type")); kind != typeLines {
		return refuse(http.StatusUnsupportedMediaType, "a batch must be "+typeLines)
	}
	small := smallBodies.Get().(*[]byte)
	defer smallBodies.Put(small)
	var body queue.Op
	if err := q.readBody(&body, *small); err != nil {
		return err
	}
	text := append(body.Data, bytes.Join(body.Parts, nil)...)
	if err := q.eachLine(text, func(*queue.Op) error { return nil }); err != nil {
		return err
	}
	if !q.may(access.Put) {
		return errForbidden
	}
	m := &many{request: q, indexes: []byte{'['}}
	err := q.eachLine(text, m.add)
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
func (q *request) eachLine(text []byte, show func(*queue.Op) error) error {
	for number := 1; len(text) > 0; number++ {
		var one []byte
		one, text, _ = bytes.Cut(text, []byte("\n"))
		if one = bytes.TrimSpace(one); len(one) == 0 {
			continue
		}
		op, err := q.lineOp(one)
		if err != nil {
			return bad("line %d: %v", number, err)
		}
		if err := show(op); err != nil {
			return err
		}
	}
	return nil
}

// mostPuts is how many items are put at once: a shard serves nobody else meanwhile.
const mostPuts = queue.Slice

// many puts items, up to mostPuts at a time.
type many struct {
	*request
	ops     []queue.Op
	indexes []byte // of those that have been put
}

func (m *many) add(op *queue.Op) error {
	if m.ops = append(m.ops, *op); len(m.ops) < mostPuts {
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
	m.ops = m.ops[:0]
	return nil
}

// lineOp turns a line into a put.
func (q *request) lineOp(text []byte) (*queue.Op, error) {
	var l line
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if !utf8.Valid(text) {
		return nil, bad("not UTF-8")
	}
	if err := decoder.Decode(&l); err != nil {
		return nil, bad("not an item in JSON: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
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
