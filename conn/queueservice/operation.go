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
