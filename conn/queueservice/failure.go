package queueservice

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"beanfield/shard/queue"
)

// failure is an answer other than success: a status and a short text. Clients show the
// text, and none parses it.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func refuse(status int, text string) error { return &failure{status, text} }

// bad says that a request cannot be understood.
func bad(format string, args ...any) error {
	return &failure{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// failures is the one table from statuses to answers. Whatever the status, SDKs repeat a
// request that failed up to five times, without a pause.
var failures = map[queue.Status]*failure{
	queue.NotFound: {http.StatusNotFound, "no data in stream"},
	queue.TooLong:  {http.StatusTooManyRequests, "queue too long"},
	queue.Ended:    {http.StatusGone, "the queue has ended"},
	queue.NoRoom:   {http.StatusInsufficientStorage, "out of disk or memory"},
	queue.Refused:  {http.StatusServiceUnavailable, "the server takes no items"},
	queue.Failed:   {http.StatusInternalServerError, "internal error"},
}

// failed is the error of an operation's status, or nil.
func failed(status queue.Status) error {
	if status == queue.OK {
		return nil
	}
	if f, ok := failures[status]; ok {
		return f
	}
	return failures[queue.Failed]
}

var errTooLarge = refuse(http.StatusRequestEntityTooLarge, "the body is too large")

// errForbidden is the answer to a client that is known, and lacks a right.
var errForbidden = refuse(http.StatusForbidden, "not allowed on this queue")

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
