package main

import (
	"sync/atomic"

	"beanfield/router"
)

// health knows why clients cannot work at the moment.
type health struct {
	router   atomic.Pointer[router.Router] // nil until the jobs are recovered
	stopping atomic.Bool
}

// problems are the reasons, in words. There are none if clients can work.
func (h *health) problems() []string {
	r := h.router.Load()
	switch {
	case h.stopping.Load():
		return []string{"stopping"}
	case r == nil:
		return []string{"recovering: the jobs are not all back yet"}
	}
	var found []string
	if r.Draining() {
		found = append(found, "draining: new jobs are refused")
	}
	st := r.LogStats()
	if st.Err != nil {
		found = append(found, "a log has failed: "+st.Err.Error())
	}
	if st.Full {
		found = append(found, "disk space is low: new jobs are refused")
	}
	return found
}
