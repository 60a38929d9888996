package admin

import (
	"strconv"

	"beanfield/storage/tally"
)

// Cluster is what a node knows of its cluster.
type Cluster struct {
	Name         string
	Role         string // one of Roles
	Serving      bool   // this node has the shards
	Nodes, Alive int
	Problems     int    // that this node knows of
	LagBytes     uint64 // about how long the records are that this node lacks
	Append       tally.Reading
	Shards       []ClusterShard
}

// ClusterShard is what it knows of one shard.
type ClusterShard struct {
	Epoch, Record, Durable, Lag, Trim uint64
	Lane                              int
	Doubts, Rejections, Failures      uint64
	Failed                            bool
	Rebuilding, Damaged               bool
}

// Roles are what a node can be doing.
var Roles = []string{"starting", "follower", "candidate", "owner", "leaving"}

// cluster sends what a node knows of its cluster.
func (g *gathering) cluster() {
	if g.src.Cluster == nil {
		return
	}
	c := g.src.Cluster()
	for _, role := range Roles {
		g.value("beanfield_cluster_role", "1 for what this node is doing, 0 for the other roles.", truth(role == c.Role),
			"role", role)
	}
	g.value("beanfield_cluster_serving", "1 if this node has the shards, and serves clients or is about to.",
		truth(c.Serving), "cluster", c.Name)
	g.figures(c, clusterFigures)
	for i := range c.Shards {
		g.figures(&c.Shards[i], clusterShardFigures, "shard", strconv.Itoa(i))
	}
}

var clusterFigures = []figure{
	{"beanfield_cluster_nodes", "Nodes of the cluster.", "Nodes"},
	{"beanfield_cluster_nodes_alive", "Nodes that this node has heard of lately, itself included.", "Alive"},
	{"beanfield_cluster_problems", "Problems that beanfield cluster status tells at this node.", "Problems"},
	{"beanfield_cluster_lag_bytes", "About how long the records are that this node lacks.", "LagBytes"},
	{"beanfield_cluster_append_seconds", "Time to append a record where most replicas have it on disk.", "Append"},
}

var clusterShardFigures = []figure{
	{"beanfield_cluster_shard_epoch", "Epoch of the shard: it grows when another node takes the shard over.", "Epoch"},
	{"beanfield_cluster_shard_record", "Number of the last record that this node has.", "Record"},
	{"beanfield_cluster_shard_durable_record", "Number of the last record that is in this node's tables.", "Durable"},
	{"beanfield_cluster_shard_lag_records", "Records that this node lacks.", "Lag"},
	{"beanfield_cluster_shard_trim_record", "Number up to which the records may be removed from the log.", "Trim"},
	{"beanfield_cluster_shard_lane", "Which of the two lanes is in use.", "Lane"},
	{"beanfield_cluster_shard_failed", "1 if this node cannot keep its copy of the shard.", "Failed"},
	{"beanfield_cluster_shard_rebuilding", "1 if this node's copy of the shard waits for a checkpoint of another node, " +
		"or is getting it.", "Rebuilding"},
	{"beanfield_cluster_shard_damaged", "1 while a copy of the shard at this node is damaged: in use, being replaced, " +
		"or kept in the directory cluster/damaged.", "Damaged"},
	{"beanfield_cluster_shard_doubts_total", "Requests that the engine did not answer in time.", "Doubts"},
	{"beanfield_cluster_shard_rejections_total", "Records that the engine rejected.", "Rejections"},
	{"beanfield_cluster_shard_failures_total", "Requests to the engine that failed.", "Failures"},
}
