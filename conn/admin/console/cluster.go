package console

import (
	"net/http"
	"time"
)

// noCluster is what one machine answers.
var noCluster = &problem{http.StatusNotFound, "this server is no node of a cluster"}

// onlyFollows is the answer of a node that has no jobs to show.
var onlyFollows = &problem{http.StatusServiceUnavailable,
	"this node only follows: the jobs are at the node that serves"}

// cluster tells what this node knows of its cluster.
func (c *Console) cluster(r *http.Request) (any, error) {
	switch {
	case c.opts.Cluster == nil:
		return nil, noCluster
	case !whole(c.opts.May(r).Subject):
		return nil, forbidden
	}
	return c.opts.Cluster(), nil
}

// server tells how the process is doing.
func (c *Console) server(r *http.Request) (any, error) {
	if !whole(c.opts.May(r).Subject) {
		return nil, forbidden
	}
	m, _, err := c.machine.take(func(*Machine) (*Machine, error) { return c.opts.Machine() })
	return m, err
}

// Serving is who serves a cluster.
type Serving struct {
	Node    string `json:"node"`              // who says so
	Owner   string `json:"owner"`             // who serves, or is about to; "" if nobody does
	Console string `json:"console,omitempty"` // the URL of the owner's console, if other machines reach it
}

// followerAnswer is the overview of a node that has no jobs to show.
type followerAnswer struct {
	At        int64  `json:"at"`
	Version   string `json:"version"`
	Uptime    int64  `json:"uptime"`
	May       scope  `json:"may"`
	Cluster   bool   `json:"cluster"`
	Following bool   `json:"following"`
	Serving
}

// follows answers for a node that only follows: it has no router.
func (c *Console) follows(name string, r *http.Request) (any, error) {
	switch name {
	case "cluster":
		return c.cluster(r)
	case "server":
		return c.server(r)
	case "overview":
		may := c.opts.May(r)
		may.Act = false
		return &followerAnswer{
			At: time.Now().UnixMilli(), Version: c.opts.Version,
			Uptime: int64(time.Since(c.opts.Started) / time.Second), May: may.scope(),
			Cluster: true, Following: true, Serving: c.opts.Serving(),
		}, nil
	}
	return nil, onlyFollows
}
