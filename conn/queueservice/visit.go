package queueservice

import (
	"maps"
	"slices"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
)

// visit is something that lasts: a get that waits or a watch. It ends when its client loses
// the right to it.
type visit struct {
	client *httpfront.Client
	queue  string
	rights access.Rights
	end    func() // does not wait

	consumer *consumer // whose visit it is, or nil
}

// allowed says whether a visit's client still has its rights.
func (s *Server) allowed(v *visit) bool {
	return s.auth.May(v.client, s.now.Load().Listed, v.queue, v.rights)
}

// may says whether the client has rights on its queue, by the rules that hold now. It is asked
// right before each operation: what has been asked of the client earlier, such as a body, may
// have come slowly.
func (p *party) may(rights access.Rights) bool {
	return p.server.auth.May(p.client, p.server.now.Load().Listed, p.queue, rights)
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
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.visits))
	for c := range s.consumers {
		all = append(all, c.visit())
	}
	s.mu.Unlock()
	var ended []*visit
	for _, v := range all {
		if !s.allowed(v) {
			v.end()
			ended = append(ended, v)
		}
	}
	if len(ended) > 0 {
		time.AfterFunc(closePatience, func() { s.sever(ended) })
	}
}

// sever closes the connections of visits that cannot end, because the client does not read. Their
// items go to others then, long before Options.WriteTimeout is over.
func (s *Server) sever(ended []*visit) {
	for _, v := range ended {
		if s.lasts(v) {
			v.client.Close()
		}
	}
}

// lasts says whether a visit that has been told to end goes on.
func (s *Server) lasts(v *visit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := v.consumer
	if c == nil {
		_, lasts := s.visits[v]
		return lasts
	}
	select {
	case <-c.written: // its reader will not wait for long
		return false
	default:
		_, lasts := s.consumers[c]
		return lasts
	}
}

// visit is the consumer's. Its end is sent at once (QS2).
func (c *consumer) visit() *visit {
	end := func() { c.outbox.stop(closeForbidden, errForbidden.Error()) }
	return &visit{c.client, c.queue, access.Reserve, end, c}
}
