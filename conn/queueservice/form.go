package queueservice

import (
	"bytes"
	"strings"

	"beanfield/conn"
	"beanfield/shard/queue"
)

// form is the body of a request that names indexes: a form, or the list as it is.
type form struct {
	*query
	conn.Share
}

// readForm reads the body. If the query has no indexes, those of the body take their place.
func (q *request) readForm() (_ *form, err error) {
	f := &form{&query{}, conn.Share{Of: &q.server.bodies, By: q.client}}
	if q.r.ContentLength == 0 {
		return f, nil
	}
	defer func() {
		if err != nil {
			f.End()
		}
	}()
	most := mostList
	if q.query.has[paramIndexes] {
		most = mostForm
	}
	small := smallBodies.Get().(*[]byte)
	defer giveBack(small)
	var body queue.Op
	if err := q.readBody(&body, *small, most, &f.Share); err != nil {
		return nil, err
	}
	text := string(append(body.Data, bytes.Join(body.Parts, nil)...))
	if isList(text) {
		text = paramIndexes.String() + "=" + strings.Trim(strings.TrimSpace(text), "[]")
	}
	if f.query, err = parseQuery(text); err != nil {
		return nil, err
	}
	return f, q.merge(f.query)
}

// isList says whether a body is nothing but indexes.
func isList(text string) bool {
	return strings.Trim(text, "0123456789, []\r\n") == "" && strings.ContainsAny(text, "0123456789")
}

// merge looks for what nobody can have meant in a form, and takes its indexes.
func (q *request) merge(f *query) error {
	if f.unknown != "" {
		return bad("%.40q is no parameter", f.unknown)
	}
	for i, given := range f.has {
		p := param(i)
		switch {
		case !given || p == paramCode || p == paramReason:
		case p != paramIndexes:
			return bad("%s has no meaning in the body", p)
		case q.query.has[p]:
			return bad("%s comes twice", p)
		default:
			q.query.has[p], q.query.values[p] = true, f.values[p]
		}
	}
	return nil
}
