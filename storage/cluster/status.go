package cluster

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/tally"
)

// Status is what a node knows of the cluster.
type Status struct {
	Cluster   string        `json:"cluster"`
	Node      string        `json:"node"`  // who says all this
	Owner     string        `json:"owner"` // who serves; "" if this node knows of nobody
	Serving   bool          `json:"serving"`
	Nodes     []NodeStatus  `json:"nodes"`
	Shards    []ShardStatus `json:"shards"`
	Problems  []string      `json:"problems"` // of this node, as sentences
	Takeovers []Takeover    `json:"takeovers,omitempty"`
	Members   uint64        `json:"members"`  // the version of what the cluster has decided about its nodes
	Replicas  int           `json:"replicas"` // how many nodes keep each lane
	Change    *ChangeStatus `json:"change,omitempty"`
}

// ChangeStatus is how far a change of the nodes is.
type ChangeStatus struct {
	Order string `json:"order"`
	Step  string `json:"step"`
	Waits string `json:"waits,omitempty"` // for what, of Look
}

// Troubled tells whether something needs somebody's attention.
func (st *Status) Troubled() bool {
	return len(st.Problems) > 0 || slices.ContainsFunc(st.Shards, func(s ShardStatus) bool {
		return s.Problem != ""
	}) ||
		slices.ContainsFunc(st.Nodes, func(n NodeStatus) bool { return len(n.Problems) > 0 || !n.Alive && !n.Left })
}

// NodeStatus is what a node says of itself.
type NodeStatus struct {
	Name    string `json:"name"`
	Alive   bool   `json:"alive"`
	Address string `json:"address,omitempty"` // where the others find it
	Joining bool   `json:"joining,omitempty"` // it gets its copies, and does not vote yet
	// "owner", "leaving", "candidate", "follower"; "stopped"; "" if it has never been heard
	Role     string   `json:"role"`
	Version  string   `json:"version,omitempty"`
	Rank     int      `json:"rank"`               // in the order of placement, from 0
	Fit      bool     `json:"fit"`                // it could own the shards now
	Broken   bool     `json:"broken,omitempty"`   // a copy is not whole
	Drained  bool     `json:"drained"`            // it owns nothing until that is undone
	Left     bool     `json:"left"`               // its copies hold up no purge
	Silence  float64  `json:"silence"`            // seconds since it was heard last; -1 if never
	Lag      uint64   `json:"lag"`                // records that the newest place known is ahead of its copies
	Places   []uint64 `json:"places,omitempty"`   // the last record of each copy
	Durable  []uint64 `json:"durable,omitempty"`  // what of it is durably folded
	Problems []string `json:"problems,omitempty"` // why it is not as it should be
	Console  string   `json:"console,omitempty"`  // a URL of http or https: where others find its console
}

// Stopped is the role of a node whose process was ended in order.
const Stopped = "stopped"

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
	Rebuilding bool         `json:"rebuilding,omitempty"`
	Aside      string       `json:"aside,omitempty"`   // where a damaged copy of this node is kept
	Damaged    bool         `json:"damaged,omitempty"` // so is this node's copy, or one that is kept
	Lanes      []LaneStatus `json:"lanes,omitempty"`   // of Look
}

// LaneStatus is what the engine says of a lane.
type LaneStatus struct {
	Leader string `json:"leader"` // whose engine leads it; "" if nobody's, or it does not answer
	Bytes  uint64 `json:"bytes"`  // on the disk of each replica
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
		f.Role, f.Shards = n.election.Role().String(), n.shardStatus()
	})
	n.asides(f.Shards)
	for _, s := range f.Shards {
		f.LagBytes += s.Lag * n.length.Load()
	}
	return f
}

// Status is what the node knows of the cluster.
func (n *Node) Status() Status {
	st := Status{Cluster: n.o.Name, Node: n.o.Node}
	err := n.ask(func(now time.Duration) {
		st.Owner, st.Serving = n.election.Owner(), n.election.Role() >= ownership.Owner
		st.Shards, st.Takeovers = n.shardStatus(), slices.Clone(n.takeovers)
		for _, name := range n.names() {
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
		if differs := n.differs(); differs != "" {
			st.Problems = append(st.Problems, differs)
		}
		// otherwise it is no problem
		if why := n.election.Why(); why != "" && st.Owner == "" && !slices.Contains(st.Problems, why) {
			st.Problems = append(st.Problems, why)
		}
	})
	if err != nil {
		st.Problems = append(st.Problems, "the node is closed")
	}
	t := n.table.Load()
	st.Members, st.Replicas = t.Version, t.Replicas
	if t.Change != nil {
		st.Change = &ChangeStatus{Order: t.Change.Order, Step: t.Next(st.Owner).String()}
	}
	n.asides(st.Shards)
	return st
}

// lookLimit is how long the engine may take to describe the lanes.
const lookLimit = time.Second

// Look is Status, with what the engine has to be asked for.
func (n *Node) Look(ctx context.Context) Status {
	st := n.Status()
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	var all sync.WaitGroup
	for i := range st.Shards {
		lanes := make([]LaneStatus, 2)
		st.Shards[i].Lanes = lanes
		for lane := range lanes {
			all.Go(func() { lanes[lane].Leader, lanes[lane].Bytes, _ = n.replicas[i].shard.Look(ctx, lane) })
		}
	}
	for i := range st.Nodes {
		if node := &st.Nodes[i]; !node.Alive && node.Role != Stopped && n.server != nil {
			all.Go(func() {
				if why := n.server.Link(ctx, node.Name); why != "" {
					node.Problems = append(slices.Clone(node.Problems), why)
				}
			})
		}
	}
	if st.Change != nil && st.Owner != "" {
		all.Go(func() {
			st.Change.Waits = n.askNodes(ctx, []string{st.Owner}, lookLimit, question{About: tableOf})[0].Todo
		})
	}
	all.Wait()
	return st
}

// asides adds where damaged copies are: that may wait for the disk.
func (n *Node) asides(shards []ShardStatus) {
	for i := range shards {
		shards[i].Aside = n.copies.Aside(i)
		shards[i].Damaged = shards[i].Damaged || shards[i].Aside != ""
	}
}

// nodeStatus is what a node has said of itself last.
func (n *Node) nodeStatus(name string) NodeStatus {
	r, alive, silence := n.election.Told(name)
	t := n.table.Load()
	s := NodeStatus{
		Name: name, Alive: alive, Role: r.Role, Version: r.Version, Rank: slices.Index(n.names(), name), Fit: alive &&
			r.Fit, Broken: r.Broken, Drained: r.Drained,
		Left: n.election.GivenUp(name), Silence: -1, Places: r.Places, Durable: r.Durable, Problems: r.Problems,
		Console: origin(r.Console),
	}
	if why := n.election.Strange(name); why != "" {
		s.Problems = append(slices.Clone(s.Problems), "its messages are refused: "+why)
	}
	if !alive && slices.Contains(r.Problems, ownership.Stopping) {
		s.Role, s.Problems = Stopped, nil
	}
	if node := t.Find(name); node != nil {
		s.Address, s.Joining = node.Address, t.Joining() != nil && t.Joining().Name == name
	}
	if r.Role != "" {
		s.Silence = silence.Seconds()
	}
	for i, place := range r.Places {
		s.Lag += n.election.Newest(i) - min(place, n.election.Newest(i))
	}
	if s.Lag > farBehind && !s.Left {
		s.Problems = append(slices.Clone(s.Problems),
			fmt.Sprintf("node %s is %d records behind, and the others keep them for it", name, s.Lag))
	}
	return s
}

// origin is where a URL of http or https that another node has told leads, without all but the host; "" if it is none.
func origin(told string) string {
	u, err := url.Parse(told)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// farBehind is how many records a node may lack before Status calls that a problem.
const farBehind = 100_000

// shardStatus is what the node knows of each shard.
func (n *Node) shardStatus() (all []ShardStatus) {
	owner := n.election.Owner()
	report, _, _ := n.election.Told(owner)
	for i, r := range n.replicas {
		s := ShardStatus{
			Shard: i, Owner: owner, Epoch: r.state.Seen, Place: r.state.Place.Number, Durable: r.durable,
			Trim: n.trim(i), Lane: r.state.Lane,
			Lag: n.election.Newest(i) - min(r.state.Place.Number, n.election.Newest(i)), Doubts: r.state.Doubts,
			Refusals: r.state.Refusals,
			Failures: r.state.Failures, Problem: r.problem, Rebuilding: r.retired.Load(),
			Damaged: r.unreadable != nil || r.replaces,
		}
		if i < len(report.Epochs) {
			s.Epoch = report.Epochs[i]
		}
		all = append(all, s)
	}
	return all
}

// trim is up to where the lanes may be purged. Only the owner decides that; elsewhere it is what the nodes say of
// their copies.
func (n *Node) trim(i int) uint64 {
	if n.election.Role() >= ownership.Owner {
		return n.election.Purged(i)
	}
	least := n.replicas[i].durable
	for _, name := range n.names() {
		if r, _, _ := n.election.Told(name); !n.election.GivenUp(name) {
			least = min(least, append(slices.Clone(r.Durable), make([]uint64, i+1)...)[i])
		}
	}
	return least
}
