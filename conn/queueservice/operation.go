package queueservice

import (
	"net/http"

	"beanfield/conn/access"
	"beanfield/conn/audit"
)

// operation is what a request asks for, with the rights that it needs on the queue.
type operation struct {
	needs   access.Rights
	name    string // for the audit log
	audited bool   // the log is told of it even if it is not refused
	run     func() error
}

// operation chooses by method and parameters. The table in doc.go says which right each needs.
func (q *request) operation() (operation, error) {
	p := q.query
	switch q.r.Method {
	case http.MethodGet:
		switch {
		case p.on(paramAttrs):
			return operation{access.Stats, "attributes", false, q.attributes}, nil
		case p.on(paramWatch):
			return operation{access.Reserve, "watch", false, q.watch}, nil
		case p.on(paramSearch):
			return operation{access.Stats, "search", false, q.search}, nil
		case p.on(paramCount):
			return operation{access.Stats, "count", false, q.count}, nil
		}
		// Whether items are taken is read once: the right and the operation cannot differ.
		take, err := p.bool(paramAutoDelete, true)
		if err != nil {
			return operation{}, err
		}
		if !take {
			return operation{access.Peek, "look", false, func() error { return q.get(access.Peek) }}, nil
		}
		return operation{access.Reserve, "get", false, func() error { return q.get(access.Reserve) }}, nil
	case http.MethodPost:
		switch {
		case p.on(paramEOS) && p.on(paramForce):
			return operation{access.Put | access.Delete, "end by force", true, q.end}, nil
		case p.on(paramEOS):
			return operation{access.Put, "end", true, q.end}, nil
		case p.on(paramBatch):
			return operation{access.Put, "put many", false, q.putMany}, nil
		}
		return operation{access.Put, "put", false, q.put}, nil
	case http.MethodPut:
		if p.on(paramNegative) {
			return operation{access.Reserve, "negative", false, q.negative}, nil
		}
		return operation{access.Reserve, "commit", false, q.commit}, nil
	case http.MethodDelete:
		switch {
		case p.on(paramTrunc):
			return operation{access.Delete, "truncate", true, q.truncate}, nil
		case p.has[paramGroup]:
			return operation{access.Admin, "remove group", true, q.dropGroup}, nil
		}
		return operation{access.Delete, "delete", true, q.delete}, nil
	}
	q.w.Header().Set("Allow", "GET, POST, PUT, DELETE")
	return operation{}, refuse(http.StatusMethodNotAllowed, "no such method")
}

// note tells the audit log what the client has done, or was refused.
func (q *request) note(o *operation, err error) {
	f, _ := err.(*failure)
	refused := f != nil && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden || f.status == http.StatusMisdirectedRequest)
	if q.server.audit == nil || !refused && (!o.audited || err != nil) {
		return
	}
	p := q.query
	detail := p.values[paramIndexes]
	switch {
	case p.has[paramGroup]:
		detail = p.values[paramGroup]
	case p.on(paramTrunc):
		detail = "before " + p.values[paramIndex]
	}
	q.server.audit.Tell(audit.Event{
		Who: q.subject.Who(), From: q.guest.From(), Face: "queue service", What: o.name, Tube: q.queue,
		Detail: detail[:min(len(detail), mostDetail)], Refused: refused,
	})
}

// mostDetail bounds what a request adds to a line of the audit log, in bytes.
const mostDetail = 200
