package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"beanfield/cmd/beanfield/node"
	"beanfield/conn/admin"
	"beanfield/conn/admin/console"
	"beanfield/router"
	"beanfield/shard/queue"
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

// figuresOf is what the metrics tell of a node's cluster.
func figuresOf(n node.Node) *admin.Cluster {
	st, f := n.Status(), n.Figures()
	c := &admin.Cluster{Name: st.Cluster, Role: f.Role, Serving: st.Serving, Nodes: len(st.Nodes),
		Problems: len(st.Problems), LagBytes: f.LagBytes}
	n.Appends(&c.Append)
	if c.Role == "" {
		c.Role = "starting"
	}
	for i := range st.Nodes {
		if st.Nodes[i].Alive {
			c.Alive++
		}
	}
	for i := range f.Shards {
		c.Shards = append(c.Shards, shardOf(&f.Shards[i]))
	}
	return c
}

func shardOf(s *cluster.ShardStatus) admin.ClusterShard {
	return admin.ClusterShard{
		Epoch: s.Epoch, Record: s.Place, Durable: s.Durable, Lag: s.Lag, Trim: s.Trim, Lane: s.Lane,
		Doubts: s.Doubts, Rejections: s.Refusals, Failures: s.Failures,
		Failed: s.Problem != "" && !s.Rebuilding, Rebuilding: s.Rebuilding, Damaged: s.Damaged,
	}
}

// ofCluster tells the metrics and the console of the cluster; nil with one machine.
func (f *fronts) ofCluster() (metrics func() *admin.Cluster, page func() any) {
	at := f.health.node.Load()
	if at == nil {
		return nil, nil
	}
	n := *at
	return func() *admin.Cluster { return figuresOf(n) }, func() any { return n.Status() }
}

// servingOf is who serves, for the console of a node that follows.
func servingOf(st cluster.Status) console.Serving {
	s := console.Serving{Node: st.Node, Owner: st.Owner}
	for i := range st.Nodes {
		if st.Nodes[i].Name == st.Owner {
			s.Console = st.Nodes[i].Console
		}
	}
	return s
}

// follow shows administrators a node that has no jobs: its metrics, and the cluster.
func (f *fronts) follow() (*admin.Pages, error) {
	if f.admin == nil {
		return nil, nil
	}
	sources := f.sources()
	metrics, wrong := admin.NewMetrics(sources, f.metricsOptions(f.config.Load()))
	_, page := f.ofCluster()
	pages, err := console.New(console.Options{Version: version, Started: time.Now(), Cluster: page,
		Serving: func() console.Serving { return servingOf((*f.health.node.Load()).Status()) },
		Machine: f.machine(metrics, sources.Connections), May: f.mayAct})
	return &admin.Pages{Metrics: metrics, Console: pages}, errors.Join(wrong, err)
}

// showFollower is what administrators see from the start.
func (f *fronts) showFollower() error {
	pages, err := f.follow()
	if pages != nil && err == nil {
		f.admin.Open(*pages)
	}
	return err
}

// mayAct is what somebody may do in the console.
func (f *fronts) mayAct(r *http.Request) console.Rights {
	return console.Rights{Act: !f.config.Load().HTTP.ReadOnly, Subject: admin.ClientOf(r).Subject}
}

// noShards are those of a node that follows.
type noShards struct{}

func (noShards) Shards() int                                                 { return 0 }
func (noShards) Look(context.Context, int) (router.Figures, bool)            { return router.Figures{}, false }
func (noShards) Census(context.Context, int, func([]queue.TubeFigures)) bool { return false }
func (noShards) Quota() *router.Quota                                        { return new(router.Quota) }
