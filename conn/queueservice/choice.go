package queueservice

import (
	"net/http"
	"slices"

	"beanfield/conn/access"
	"beanfield/conn/audit"
)

// choice is an operation that a method may ask for.
type choice struct {
	by    param   // that is true if it is meant; none for what the method means without any
	takes []param // besides those that choose
	make  func(*request) (operation, error)
}

// none is no parameter.
const none = params

// usual makes an operation that always needs the same rights.
func usual(needs access.Rights, name string, audited bool, run func(*request) error) func(*request) (operation, error) {
	return func(q *request) (operation, error) {
		return operation{needs, name, audited, func() error { return run(q) }}, nil
	}
}

// choices are what each method may ask for. A request that gives a parameter which its
// operation does not take is refused: it was meant for another one. The table in doc.go says
// which rights each needs.
var choices = map[string][]choice{
	http.MethodGet: {
		{paramAttrs, nil, usual(access.Stats, "attributes", false, (*request).attributes)},
		{paramWatch, []param{paramIndex, paramWindow, paramIndexOnly, paramAutoCommit}, usual(access.Reserve, "watch",
			false, (*request).watch)},
		{paramSearch, []param{paramIndex}, usual(access.Stats, "search", false, (*request).search)},
		{paramCount, []param{paramPriority}, usual(access.Stats, "count", false, (*request).count)},
		{none, []param{paramIndex, paramLength, paramTimeout, paramRaw, paramAutoDelete}, takeOrLook},
	},
	http.MethodPost: {
		{paramEOS, []param{paramForce}, endOrForce},
		{paramBatch, nil, usual(access.Put, "put many", false, (*request).putMany)},
		{none, []param{paramPriority}, usual(access.Put, "put", false, (*request).put)},
	},
	http.MethodPut: {
		{paramNegative, []param{paramIndexes, paramCode, paramReason}, usual(access.Reserve, "negative", false,
			(*request).negative)},
		{none, []param{paramIndexes, paramDelete}, usual(access.Reserve, "commit", false, (*request).commit)},
	},
	http.MethodDelete: {
		{paramTrunc, []param{paramIndex}, usual(access.Delete, "truncate", true, (*request).truncate)},
		{none, []param{paramIndexes, paramGroup}, deleteOrDrop},
	},
}

// takeOrLook is a get. Whether items are taken is read once: the right and the operation
// cannot differ.
func takeOrLook(q *request) (operation, error) {
	take, err := q.query.bool(paramAutoDelete, true)
	if err != nil {
		return operation{}, err
	}
	if !take {
		return operation{access.Peek, "look", false, func() error { return q.get(access.Peek) }}, nil
	}
	return operation{access.Reserve, "get", false, func() error { return q.get(access.Reserve) }}, nil
}

func endOrForce(q *request) (operation, error) {
	force, err := q.query.bool(paramForce, false)
	if err != nil {
		return operation{}, err
	}
	if force {
		return operation{access.Put | access.Delete, "end by force", true, func() error { return q.end(true) }}, nil
	}
	return operation{access.Put, "end", true, func() error { return q.end(false) }}, nil
}

func deleteOrDrop(q *request) (operation, error) {
	switch p := q.query; {
	case p.has[paramGroup] && p.has[paramIndexes]:
		return operation{}, bad("both %s and %s", paramGroup, paramIndexes)
	case p.has[paramGroup]:
		return operation{access.Admin, "remove group", true, q.dropGroup}, nil
	}
	return operation{access.Delete, "delete", true, q.delete}, nil
}

// operation finds what a request asks for, by its method and parameters. A request that
// leaves a doubt is refused: a get would take an item, and a put would make one.
func (q *request) operation() (operation, error) {
	list, ok := choices[q.r.Method]
	if !ok {
		q.w.Header().Set("Allow", "GET, POST, PUT, DELETE")
		return operation{}, refuse(http.StatusMethodNotAllowed, "no such method")
	}
	p, chosen := q.query, &list[len(list)-1]
	if p.unknown != "" && (q.r.Method != http.MethodPost || resembles(p.unknown)) {
		return operation{}, bad("%.40q is no parameter", p.unknown)
	}
	allowed := []param{paramUid, paramGid, paramToken}
	for i := range list[:len(list)-1] {
		c := &list[i]
		on, err := p.bool(c.by, false)
		switch {
		case err != nil:
			return operation{}, err
		case on && chosen.by != none:
			return operation{}, bad("both %s and %s", chosen.by, c.by)
		case on:
			chosen = c
		}
		allowed = append(allowed, c.by)
	}
	for i, given := range p.has {
		if given && !slices.Contains(allowed, param(i)) && !slices.Contains(chosen.takes, param(i)) {
			return operation{}, bad("%s has no meaning here", param(i))
		}
	}
	return chosen.make(q)
}

// operation is what a request asks for, with the rights that it needs on the queue.
type operation struct {
	needs   access.Rights
	name    string // for the audit log
	audited bool   // the log is told of it even if it is not refused
	run     func() error
}

// note tells the audit log what the client has done, or was refused.
func (q *request) note(o *operation, err error) {
	f, _ := err.(*failure)
	refused := f != nil && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden ||
		f.status == http.StatusMisdirectedRequest)
	if q.server.audit == nil || !refused && (!o.audited || err != nil) {
		return
	}
	p := q.query
	detail := p.values[paramIndexes]
	switch {
	case p.has[paramGroup]:
		detail = p.values[paramGroup]
	case o.name == "truncate":
		detail = "before " + p.values[paramIndex]
	}
	q.server.audit.Tell(audit.Event{
		Who: q.subject.Who(), From: q.client.From(), FrontEnd: "queue service", What: o.name, Tube: q.queue,
		Detail: detail[:min(len(detail), mostDetail)], Refused: refused,
	})
}

// mostDetail bounds what a request adds to a line of the audit log, in bytes.
const mostDetail = 200
