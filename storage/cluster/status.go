package cluster

import (
	"fmt"
	"slices"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/tally"
)

// Status is what a node knows of the cluster.
type Status struct {
	Cluster  string        `json:"cluster"`
	Node     string        `json:"node"`  // who says all this
	Owner    string        `json:"owner"` // who serves; "" if this node knows of nobody
	Serving  bool          `json:"serving"`
	Nodes    []NodeStatus  `json:"nodes"`
	Shards   []ShardStatus `json:"shards"`
	Problems []string      `json:"problems"` // of this node, as sentences
}

// NodeStatus is what a node says of itself.
type NodeStatus struct {
	Name     string   `json:"name"`
	Alive    bool     `json:"alive"`
	Role     string   `json:"role"` // "owner", "leaving", "candidate", "follower"; "" if it has never been heard
	Version  string   `json:"version,omitempty"`
	Rank     int      `json:"rank"`               // in the order of placement, from 0
	Fit      bool     `json:"fit"`                // it could own the shards now
	Drained  bool     `json:"drained"`            // it owns nothing until that is undone
	Left     bool     `json:"left"`               // its copies hold up no purge
	Silence  float64  `json:"silence"`            // seconds since it was heard last; -1 if never
	Lag      uint64   `json:"lag"`                // records that the newest place known is ahead of its copies
	Places   []uint64 `json:"places,omitempty"`   // the last record of each copy
	Durable  []uint64 `json:"durable,omitempty"`  // what of it is durably folded
	Problems []string `json:"problems,omitempty"` // why it is not as it should be
}

// ShardStatus is what a node knows of a shard.
type ShardStatus struct {
	Shard    int    `json:"shard"`
	Owner    string `json:"owner"`
	Epoch    uint64 `json:"epoch"`
	Place    uint64 `json:"place"`    // the last record of this node's copy
	Durable  uint64 `json:"durable"`  // what of it is durably folded
	Lag      uint64 `json:"lag"`      // records that are known to be missing
	Trim     uint64 `json:"trim"`     // the number up to which the lanes may be purged
	Lane     int    `json:"lane"`     // the lane in use, at the owner
	Doubts   uint64 `json:"doubts"`   // requests that the engine did not answer in time
	Refusals uint64 `json:"refusals"` // appends that the engine refused
	Failures uint64 `json:"failures"` // requests that failed
	Problem  string `json:"problem,omitempty"`
	// Rebuilding says that the problem is being mended: this node's copy waits for a checkpoint of another
	// one, or is getting it.
	Rebuilding bool `json:"rebuilding,omitempty"`
}

// Figures are for the metrics.
type Figures struct {
	Role     string
	Shards   []ShardStatus
	LagBytes uint64 // about how long the missing records are
}

// Appends reads how long appends took, in nanoseconds.
func (n *Node) Appends(to *tally.Reading) { n.appends.ReadTo(to) }

// Figures are for the metrics.
func (n *Node) Figures() Figures {
	var f Figures
	_ = n.ask(func(time.Duration) {
		f.Role, f.Shards = n.station.Role().String(), n.shardStatus()
	})
	for _, s := range f.Shards {
		f.LagBytes += s.Lag * n.length.Load()
	}
	return f
}

// Status is what the node knows of the cluster.
func (n *Node) Status() Status {
	st := Status{Cluster: n.o.Name, Node: n.o.Node}
	err := n.ask(func(now time.Duration) {
		st.Owner, st.Serving = n.station.Owner(), n.station.Role() >= ownership.Owner
		st.Shards = n.shardStatus()
		for _, name := range n.o.names() {
			st.Nodes = append(st.Nodes, n.nodeStatus(name))
		}
		for _, node := range st.Nodes {
			if node.Name == n.o.Node {
				st.Problems = append(st.Problems, node.Problems...)
			}
		}
		if missing := n.missing.Load(); missing != nil && *missing != "" {
			st.Problems = append(st.Problems, *missing)
		}
		if n.rests.Load() {
			st.Problems = append(st.Problems, cutOff)
		}
		if why := n.station.Why(); why != "" && st.Owner == "" && !slices.Contains(st.Problems, why) { // otherwise it is no problem
			st.Problems = append(st.Problems, why)
		}
	})
	if err != nil {
		st.Problems = append(st.Problems, "the node is closed")
	}
	return st
}

// nodeStatus is what a node has said of itself last.
func (n *Node) nodeStatus(name string) NodeStatus {
	r, alive, silence := n.station.Told(name)
	s := NodeStatus{
		Name: name, Alive: alive, Role: r.Role, Version: r.Version, Rank: slices.Index(n.o.names(), name), Fit: alive && r.Fit, Drained: r.Drained,
		Left: n.station.GivenUp(name), Silence: -1, Places: r.Places, Durable: r.Durable, Problems: r.Problems,
	}
	if why := n.station.Strange(name); why != "" {
		s.Problems = append(slices.Clone(s.Problems), "its messages are refused: "+why)
	}
	if r.Role != "" {
		s.Silence = silence.Seconds()
	}
	for i, place := range r.Places {
		s.Lag += n.station.Newest(i) - min(place, n.station.Newest(i))
	}
	if s.Lag > farBehind && !s.Left {
		s.Problems = append(slices.Clone(s.Problems), fmt.Sprintf("node %s is %d records behind, and the others keep them for it", name, s.Lag))
	}
	return s
}

// farBehind is how many records a node may lack before Status calls that a problem.
const farBehind = 100_000

// shardStatus is what the node knows of each shard.
func (n *Node) shardStatus() (all []ShardStatus) {
	owner := n.station.Owner()
	report, _, _ := n.station.Told(owner)
	for i, r := range n.replicas {
		s := ShardStatus{
			Shard: i, Owner: owner, Epoch: r.state.Seen, Place: r.state.Place.Number, Durable: r.durable, Trim: n.station.Purged(i), Lane: r.state.Lane,
			Lag: n.station.Newest(i) - min(r.state.Place.Number, n.station.Newest(i)), Doubts: r.state.Doubts, Refusals: r.state.Refusals,
			Failures: r.state.Failures, Problem: r.problem, Rebuilding: r.retired.Load(),
		}
		if i < len(report.Epochs) {
			s.Epoch = report.Epochs[i]
		}
		all = append(all, s)
	}
	return all
}
