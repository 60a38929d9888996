package main

import (
	"sync/atomic"

	"beanfield/cmd/beanfield/node"
	"beanfield/router"
	"beanfield/storage/cluster"
)

// health knows why clients cannot work at the moment.
type health struct {
	router   atomic.Pointer[router.Router] // nil until the jobs are recovered, and while another node serves
	node     atomic.Pointer[node.Node]     // nil with one machine
	stopping atomic.Bool
}

// problems are the reasons, in words. There are none if clients can work.
func (h *health) problems() []string {
	r, n := h.router.Load(), h.node.Load()
	switch {
	case h.stopping.Load():
		return []string{"stopping"}
	case r == nil && n != nil:
		return following((*n).Status())
	case r == nil:
		return []string{"recovering: the jobs are not all back yet"}
	}
	if err := r.LogStats().Err; err != nil {
		return []string{"a log has failed: " + err.Error()}
	}
	return nil
}

// refusals are the reasons why no jobs are accepted where clients can work otherwise.
func (h *health) refusals() (found []string) {
	r := h.router.Load()
	if r == nil {
		return nil
	}
	if r.Draining() {
		found = append(found, "draining: new jobs are refused")
	}
	if r.LogStats().Full {
		found = append(found, "disk space is low: new jobs are refused")
	}
	return found
}

// following says why a node of a cluster does not serve.
func following(st cluster.Status) []string {
	why := "following: node " + st.Owner + " serves"
	switch st.Owner {
	case "":
		why = "following: no node serves now"
	case st.Node:
		why = "recovering: this node is to serve, and the jobs are not all back yet"
	}
	return append([]string{why}, st.Problems...)
}
