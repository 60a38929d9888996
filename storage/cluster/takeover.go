package cluster

import "time"

// Takeover is when a node began to own the shards, as this node heard it.
type Takeover struct {
	At     time.Time `json:"at"`
	Owner  string    `json:"owner"`
	Epoch  uint64    `json:"epoch"`  // of the first shard
	Nobody float64   `json:"nobody"` // seconds before it for which this node knew of no owner
}

// mostTakeovers is how many are remembered.
const mostTakeovers = 5

// notice looks whether another node owns the shards now. The loop calls it.
func (n *Node) notice(now time.Duration) {
	owner := n.election.Owner()
	if owner == "" {
		return
	}
	t := Takeover{At: time.Now().UTC(), Owner: owner, Nobody: max(0, now-n.owned-tickEach).Seconds()}
	n.owned = now
	if r, _, _ := n.election.Told(owner); len(r.Epochs) > 0 {
		t.Epoch = r.Epochs[0]
	}
	if k := len(n.takeovers); t.Epoch == 0 || k > 0 && n.takeovers[k-1].Owner == owner &&
		n.takeovers[k-1].Epoch == t.Epoch {
		return
	}
	n.takeovers = append(n.takeovers, t)
	n.takeovers = n.takeovers[max(0, len(n.takeovers)-mostTakeovers):]
}
