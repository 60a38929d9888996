package admin

import (
	"context"
	"strings"
	"testing"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// noShards are those of a node that follows.
type noShards struct{}

func (noShards) Shards() int                                                 { return 0 }
func (noShards) Look(context.Context, int) (router.Figures, bool)            { return router.Figures{}, false }
func (noShards) Census(context.Context, int, func([]queue.TubeFigures)) bool { return false }
func (noShards) Quota() *router.Quota                                        { return new(router.Quota) }

// A node tells of its cluster, also while it has no shards; one machine does not.
func TestMetricsOfACluster(t *testing.T) {
	src := sources(noShards{})
	src.Cluster = func() *Cluster {
		return &Cluster{Name: "orders", Role: "follower", Nodes: 3, Alive: 2, Problems: 1, LagBytes: 300,
			Append: *someTimes(), Shards: []ClusterShard{
				{Epoch: 7, Record: 100, Durable: 90, Lag: 3, Trim: 80, Lane: 1, Doubts: 4, Rejections: 5, Failures: 6},
				{Failed: true}, {Rebuilding: true},
			}}
	}
	text := ask(must.Get(NewMetrics(src, MetricsOptions{}))).Body.String()
	tells(t, text,
		`beanfield_cluster_role{role="follower"} 1`, `beanfield_cluster_role{role="owner"} 0`,
		`beanfield_cluster_serving{cluster="orders"} 0`,
		"beanfield_cluster_nodes 3", "beanfield_cluster_nodes_alive 2", "beanfield_cluster_problems 1",
		"beanfield_cluster_lag_bytes 300",
		"beanfield_cluster_append_seconds_count 1001", `beanfield_cluster_shard_epoch{shard="0"} 7`,
		`beanfield_cluster_shard_record{shard="0"} 100`,
		`beanfield_cluster_shard_durable_record{shard="0"} 90`, `beanfield_cluster_shard_lag_records{shard="0"} 3`,
		`beanfield_cluster_shard_trim_record{shard="0"} 80`,
		`beanfield_cluster_shard_lane{shard="0"} 1`, `beanfield_cluster_shard_failed{shard="1"} 1`,
		`beanfield_cluster_shard_rebuilding{shard="1"} 0`,
		`beanfield_cluster_shard_failed{shard="2"} 0`, `beanfield_cluster_shard_rebuilding{shard="2"} 1`,
		`beanfield_cluster_shard_doubts_total{shard="0"} 4`,
		`beanfield_cluster_shard_rejections_total{shard="0"} 5`, `beanfield_cluster_shard_failures_total{shard="0"} 6`,
		`beanfield_connections{face="http"} 1`,
	)
	if alone := ask(must.Get(NewMetrics(sources(noShards{}), MetricsOptions{}))).Body.String(); strings.Contains(alone,
		"beanfield_cluster") {
		t.Error("one machine tells of a cluster")
	}
}
