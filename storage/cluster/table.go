package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
)

// tableName is a file with the newest table of the members that this node has heard of: what it starts with, until its
// copies are open. The logs decide.
const tableName = "members.json"

// remember finds out what this node has known of the cluster's members before. A node that has promised nothing yet,
// was removed, or has promised what it did as another member of its name, is not let in before others say so (admit);
// nor is one whose table is damaged, or older than its promises.
func (n *Node) remember(context.Context) error {
	if err := n.belongs(); err != nil {
		return err
	}
	_, none := os.Stat(filepath.Join(n.o.Dir, promisesName))
	promised, err := readPaper(n.o.Dir)
	if err != nil {
		return err
	}
	if promised != nil && promised.Cluster != n.o.Name {
		promised, none = nil, os.ErrNotExist // another cluster's are none
	}
	if none == nil && promised == nil {
		n.o.Logger.Error("the file of this node's promises is damaged: the node is drained no more, and votes again "+
			"when somebody serves", "file", filepath.Join(n.o.Dir, promisesName))
	}
	t := members.Founders(slices.Collect(maps.Keys(n.o.Nodes)), n.o.Nodes, n.o.replicas())
	b, err := os.ReadFile(filepath.Join(n.o.Dir, tableName))
	stale := false
	if kept, bad := members.Decode(b); err == nil && bad == nil {
		t = kept
	} else if stale = err == nil; stale {
		n.o.Logger.Error("the file of the cluster's members is damaged: the other nodes are asked", "file",
			filepath.Join(n.o.Dir, tableName), "error", bad)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	n.table.Store(t)
	self := t.Find(n.o.Node)
	if self != nil {
		n.since = self.Since
	}
	other := promised != nil && promised.since() != n.since
	if stale = stale || other && promised.since() > t.Version; stale && promised != nil {
		n.since, n.promised = promised.since(), true // unless the others know better
	}
	n.stranger.Store(none != nil || self == nil || other || stale)
	n.knows.Store(!stale && (none == nil || t.Version > 0))
	return nil
}

// nameName is a file that says of which node a directory is. Older programs wrote none.
const nameName = "node"

// belongs refuses the directory of another node: a machine may have another name by now, and its node's is not
// configured.
func (n *Node) belongs() error {
	path := filepath.Join(n.o.Dir, nameName)
	b, err := os.ReadFile(path)
	switch name := strings.TrimSpace(string(b)); {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err == nil && name != n.o.Node:
		return fmt.Errorf("%w: %s is the directory of node %q, and this is to be node %q: say node = %[3]q in "+
			"[cluster], or give this node an empty directory (storage.path); if %[3]q was said by mistake, remove %[5]s",
			ErrRefused, n.o.Dir, name, n.o.Node, path)
	}
	return err
}

// sign says whose directory it is, before this node has anything in it that others rely on.
func (n *Node) sign() error {
	path := filepath.Join(n.o.Dir, nameName)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return writeWhole(path, []byte(n.o.Node+"\n"))
}

// names are those of the members, and of a node that joins, in their order: the first that lives and has caught up is
// the one to own the shards.
func (n *Node) names() (names []string) {
	for _, node := range n.table.Load().All() {
		names = append(names, node.Name)
	}
	return names
}

// addresses are where the engines find each other. Where this one listens only its own configuration can say.
func (n *Node) addresses() map[string]string {
	t := n.table.Load()
	if t.Version == 0 || t.Find(n.o.Node) == nil {
		return n.o.Nodes
	}
	at := map[string]string{}
	for _, node := range t.All() {
		at[node.Name] = node.Address
	}
	at[n.o.Node] = n.o.Nodes[n.o.Node]
	return at
}

// adopt takes a table for what counts, if it is newer.
func (n *Node) adopt(t *members.Table) {
	for {
		old := n.table.Load()
		if old.Version >= t.Version {
			return
		}
		if n.table.CompareAndSwap(old, t) {
			break
		}
	}
	n.knows.Store(true)
	if n.watch != nil {
		n.watch.Members(t.Names())
	}
	nudge(n.change)
}

// opened takes the tables that the copies have, and for a log without one the nodes with which its lanes were made.
func (n *Node) opened() {
	shard := n.replicas[0].shard
	if n.table.Load().Version == 0 {
		n.table.Store(members.Founders(shard.Nodes(), n.o.Nodes, shard.Replicas()))
		n.watch.Members(n.names())
	}
	n.knows.Store(true)
	for _, r := range n.replicas {
		if t := r.decided(); t != nil {
			n.adopt(t)
		}
	}
}

// decided is the table that the copy has, if it is not the one that it had when it was asked last.
func (r *replica) decided() *members.Table {
	text := r.node.copies.Members(r.i)
	if len(text) == 0 || bytes.Equal(text, r.members) {
		return nil
	}
	r.members = text
	t, err := members.Decode(text)
	if err != nil {
		r.node.o.Logger.Warn("this node waits", "for", "a version that can read what the cluster has decided about "+
			"its nodes",
			"shard", r.i, "error", err)
		return nil
	}
	return t
}

// learn tells the election what the log of a shard has decided. The loop calls it.
func (r *replica) learn(now time.Duration) {
	if r.retired.Load() {
		return
	}
	if t := r.decided(); t != nil {
		r.node.adopt(t)
		r.node.election.Decided(now, r.i, voters(t))
	}
}

// voters are the members as an election counts them.
func voters(t *members.Table) ownership.Members {
	m := ownership.Members{Version: t.Version}
	for _, node := range t.All() {
		guest := !slices.Contains(t.Nodes, node)
		m.Nodes = append(m.Nodes, ownership.Member{Name: node.Name, Address: node.Address, Since: node.Since,
			Guest: guest})
	}
	return m
}

// expelled tells whether this node was removed while it ran, or another one has its name. A table from before it was
// let in says nothing of that.
func (n *Node) expelled() bool {
	t := n.table.Load()
	self := t.Find(n.o.Node)
	return t.Version >= n.since && (self == nil || self.Since != n.since)
}

// tend keeps the newest table, and tells the engine where the others are. It says for which that is done.
func (n *Node) tend(ctx context.Context, tended *members.Table) *members.Table {
	t := n.table.Load()
	if t == tended {
		return t
	}
	path := filepath.Join(n.o.Dir, tableName)
	var err error
	if t.Version > 0 {
		err = writeWhole(path, t.Encode())
	}
	if err == nil && n.expelled() {
		n.ends(ctx, n.removed())
		return t
	}
	if err == nil && n.server != nil {
		err = n.server.Route(n.addresses())
	}
	if err != nil {
		n.o.Logger.Warn("this node waits", "for", "its disk, or its engine, to take what the cluster has decided "+
			"about its nodes",
			"error", err)
		_ = pause(ctx, keepAgain)
		return tended
	}
	if t.Version > 0 {
		n.o.Logger.Info("the cluster has decided about its nodes", "nodes", strings.Join(t.Names(), " "), "replicas",
			t.Replicas, "change", orderOf(t))
	}
	if text := n.differs(); text != "" {
		n.o.Logger.Warn("this node's configuration is not what the cluster has decided", "why", text)
	}
	return t
}

func orderOf(t *members.Table) string {
	if t.Change == nil {
		return ""
	}
	return t.Change.Order
}

// removed is why a process ends that is no node of the cluster any more. When it is started again, it waits to be
// added.
func (n *Node) removed() error {
	return fmt.Errorf("%w: node %s was removed from the cluster", ErrRefused, n.o.Node)
}

// differs says in what the configuration differs from what the cluster has decided; empty if in nothing.
func (n *Node) differs() string {
	t := n.table.Load()
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, node := range t.Nodes {
		switch at, there := n.o.Nodes[node.Name]; {
		case !there && node.Address == "":
			say("it lacks node %s", node.Name)
		case !there:
			say("it lacks node %s=%s", node.Name, node.Address)
		case at != node.Address && node.Name == n.o.Node && t.Version > 0:
			say("it has this node at %s, where it listens, and the others look for it at %s (beanfield cluster replace "+
				"%s=%s)", at, node.Address, node.Name, at)
		case at != node.Address && t.Version > 0:
			say("it has node %s at %s, which is at %s", node.Name, at, node.Address)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.o.Nodes)) {
		if t.Find(name) == nil {
			say("it has node %s, which is none of the cluster's: take it out if it was removed (if it is to come: "+
				"beanfield cluster add %s=%s)", name, name, n.o.Nodes[name])
		}
	}
	if n.o.Replicas > 0 && n.o.Replicas != t.Replicas {
		say("it has replicas = %d, and there are %d (beanfield cluster replicas)", n.o.Replicas, t.Replicas)
	}
	if all == nil {
		return ""
	}
	return "the cluster's own decision counts, not this node's configuration: " + strings.Join(all, "; ")
}
