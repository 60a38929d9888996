package queueservice

import (
	"net/http"
	"sync/atomic"
)

// refusals counts requests that were refused, by the status of the answer.
type refusals [200]atomic.Uint64

const firstRefusal = 400

func (r *refusals) count(status int) {
	if i := status - firstRefusal; i >= 0 && i < len(r) {
		r[i].Add(1)
	}
}

// Refusals are how many requests were refused, by the text of the answer's status.
func (s *Server) Refusals() map[string]uint64 {
	m := map[string]uint64{}
	for i := range s.refusals {
		if n := s.refusals[i].Load(); n > 0 {
			m[http.StatusText(firstRefusal+i)] += n
		}
	}
	return m
}
