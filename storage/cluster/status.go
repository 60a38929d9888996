package cluster

import "beanfield/storage/tally"

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
}

// Figures are for the metrics.
type Figures struct {
	Role     string
	Shards   []ShardStatus
	LagBytes uint64        // about how long the missing records are
	Append   tally.Reading // how long appends took
}
