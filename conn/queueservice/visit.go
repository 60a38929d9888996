package queueservice

import (
	"net/http"

	"beanfield/conn/access"
	"beanfield/conn/hall"

	"github.com/gobwas/ws"
)

// closeForbidden ends a watch whose client may not reserve any more.
const closeForbidden = ws.StatusPolicyViolation

// errForbidden is the answer to a client that is known, and lacks a right.
var errForbidden = refuse(http.StatusForbidden, "not allowed on this queue")

// visit is something that lasts: a get that waits or a watch. It ends when its client loses
// the right to it.
type visit struct {
	guest  *hall.Guest
	queue  string
	rights access.Rights
	end    func() // does not wait
}

// allowed says whether a visit's client still has its rights.
func (s *Server) allowed(v *visit) bool {
	return s.porter.May(v.guest, s.now.Load().tokens, v.queue, v.rights)
}

// begin notes a visit until leave is called. It reports false if the client has lost its
// rights since it was let in: review may have missed this visit.
func (s *Server) begin(v *visit) bool {
	s.mu.Lock()
	s.visits[v] = struct{}{}
	s.mu.Unlock()
	return s.allowed(v)
}

func (s *Server) leave(v *visit) {
	s.mu.Lock()
	delete(s.visits, v)
	s.mu.Unlock()
}

// review ends all visits and consumers that the rules do not allow any more.
func (s *Server) review() {
	var all []*visit
	s.mu.Lock()
	for v := range s.visits {
		all = append(all, v)
	}
	for c := range s.consumers {
		all = append(all, c.visit())
	}
	s.mu.Unlock()
	for _, v := range all {
		if !s.allowed(v) {
			v.end()
		}
	}
}

// visit is the consumer's. Its end is sent at once (F2).
func (c *consumer) visit() *visit {
	return &visit{c.guest, c.queue, access.Reserve, func() { c.outbox.stop(closeForbidden, errForbidden.Error()) }}
}

// operation is what a request asks for, with the rights that it needs on the queue.
type operation struct {
	needs access.Rights
	run   func() error
}

// operation chooses by method and parameters. The table in doc.go says which right each needs.
func (q *request) operation() (operation, error) {
	p := q.query
	switch q.r.Method {
	case http.MethodGet:
		switch {
		case p.on(paramAttrs):
			return operation{access.Stats, q.attributes}, nil
		case p.on(paramWatch):
			return operation{access.Reserve, q.watch}, nil
		case p.on(paramSearch):
			return operation{access.Stats, q.search}, nil
		case p.on(paramCount):
			return operation{access.Stats, q.count}, nil
		case p.has[paramAutoDelete] && !p.on(paramAutoDelete):
			return operation{access.Peek, q.get}, nil
		}
		return operation{access.Reserve, q.get}, nil
	case http.MethodPost:
		switch {
		case p.on(paramEOS) && p.on(paramForce):
			return operation{access.Put | access.Delete, q.end}, nil
		case p.on(paramEOS):
			return operation{access.Put, q.end}, nil
		case p.on(paramBatch):
			return operation{access.Put, q.putMany}, nil
		}
		return operation{access.Put, q.put}, nil
	case http.MethodPut:
		if p.on(paramNegative) {
			return operation{access.Reserve, q.negative}, nil
		}
		return operation{access.Reserve, q.commit}, nil
	case http.MethodDelete:
		switch {
		case p.on(paramTrunc):
			return operation{access.Delete, q.truncate}, nil
		case p.has[paramGroup]:
			return operation{access.Admin, q.dropGroup}, nil
		}
		return operation{access.Delete, q.delete}, nil
	}
	q.w.Header().Set("Allow", "GET, POST, PUT, DELETE")
	return operation{}, refuse(http.StatusMethodNotAllowed, "no such method")
}
