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
