package cluster

import (
	"fmt"
	"slices"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
)

const (
	// steerEach is how often the lanes' leaders are looked at if all was well, steerAgain if it was
	// not, steerLater if it was not so often that it may stay so.
	steerEach  = 10 * time.Second
	steerAgain = 300 * time.Millisecond
	steerLater = 3 * time.Second
	steerOften = 50
)

// leading are the nodes whose engines are to lead lanes; nil if it is another node that sees to it. That is the
// owner. But if a link is cut, and the owner is at one end of it, it may not reach who leads a lane: then the first
// of those that reach all does. The loop calls it.
func (n *Node) leading() []string {
	owner, hubs := n.election.Owner(), n.watch.Hubs()
	ours := n.election.Role() == ownership.Owner
	if !ours && (owner == "" || len(hubs) == 0 || hubs[0] != n.o.Node || slices.Contains(hubs, owner)) {
		return nil
	}
	leaves := ""
	if c := n.table.Load().Change; c != nil && c.Remove != nil {
		leaves = c.Remove.Name
	}
	names := slices.DeleteFunc(n.election.Leaders(), func(name string) bool {
		return !n.watch.Leads(name) || name == leaves
	})
	if len(hubs) == 0 && !slices.ContainsFunc(names, func(name string) bool { return name != owner }) {
		return n.election.Leaders() // all others have just been started
	}
	reach := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(hubs, name) })
	if len(reach) > 0 {
		return reach
	}
	return names
}

// steerer is the goroutine that has the lanes led by the nodes that should (doc.go). Nothing waits for it.
func (n *Node) steerer() {
	timer := time.NewTimer(steerEach)
	defer timer.Stop()
	for tries := 0; ; {
		select {
		case <-n.ctx.Done():
			return
		case <-n.steer:
			tries = 0
		case <-timer.C:
		}
		tries++
		switch {
		case n.steerAll():
			timer.Reset(steerEach)
		case tries < steerOften:
			timer.Reset(steerAgain)
		default:
			timer.Reset(steerLater)
		}
	}
}

// steerAll looks at the lanes of all shards. It tells whether all is well. Which servers a site's own engine
// has, its lanes' leaders say; the one to which the owner is connected is taken for that of its machine.
func (n *Node) steerAll() bool {
	var alive []string
	owner := ""
	_ = n.ask(func(time.Duration) { alive, owner = n.leading(), n.election.Owner() })
	apart, well := owner, true // from whom the leaders are to be
	if n.seek(owner); owner == "" {
		return well
	}
	if moved := time.Duration(n.moves.Load()); moved > 0 && n.now()-moved < settles {
		return false
	}
	switch {
	case n.server == nil && owner == n.o.Node:
		apart, alive = n.conn.ConnectedServerName(), nil
	case n.server == nil || len(alive) == 0:
		return well
	}
	for _, r := range n.replicas {
		well = n.steerOne(r, apart, alive, owner == n.o.Node) && well
	}
	return well
}

// seek looks for the streams while no node serves: somebody may have deleted them, or the disks of most nodes are
// new. Nobody makes them again by himself, since they would be empty.
func (n *Node) seek(owner string) {
	missing := ""
	for _, r := range n.replicas {
		for lane := range 2 {
			if owner != "" || missing != "" {
				break
			}
			if _, _, err := r.shard.Leader(n.ctx, lane); jetstream.NoStream(err) {
				missing = fmt.Sprintf("the engine has no stream %s any more: beanfield help recovery says what to do",
					r.shard.Streams()[lane])
			}
		}
	}
	if old := n.missing.Swap(&missing); missing != "" && (old == nil || *old != missing) {
		n.o.Logger.Error("no node can serve", "error", missing)
	}
}

// steerOne moves the leader of one lane. The owner uses the other one meanwhile.
func (n *Node) steerOne(r *replica, apart string, alive []string, owns bool) bool {
	// without a driver, while its copy is made, a node that is not the owner steers all the same
	d, inUse := r.driver.Load(), 0
	switch {
	case d != nil:
		inUse = d.State().Lane
	case owns:
		return false
	}
	lane, leader, err := r.shard.Astray(n.ctx, apart, alive, inUse)
	switch {
	case err != nil:
		return false
	case lane < 0:
		return true
	case owns && lane == inUse: // the other one is well led: that one is used from now on
		d.Use(1 - lane)
		return false
	}
	if err := r.shard.Lead(n.ctx, lane, leader); err != nil {
		n.o.Logger.Debug("a lane's leader does not move", "shard", r.i, "lane", lane, "error", err)
	}
	return false
}
