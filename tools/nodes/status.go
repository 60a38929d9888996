package nodes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Status is what "beanfield cluster status -json" tells, as far as tools look at it.
type Status struct {
	Owner  string // who serves; "" if the node knows of nobody
	Nodes  []NodeStatus
	Shards []ShardStatus
	Change *struct{ Order string } // that is under way
	Text   []byte                  // all of it
}

// NodeStatus is one of its nodes.
type NodeStatus struct {
	Name    string
	Address string // where the others find it
	Alive   bool
	Joining bool // it has been let in, and gets its copies
	Fit     bool // it could own the shards now
}

// ShardStatus is one of its shards.
type ShardStatus struct {
	Shard int
	Owner string // "": nobody
	Epoch uint64
	Lanes []struct{ Leader string }
}

// Leaders are the nodes that lead the lanes of each shard.
func (s *Status) Leaders() string {
	var all []string
	for _, shard := range s.Shards {
		var of []string
		for _, lane := range shard.Lanes {
			of = append(of, cmp.Or(lane.Leader, "?"))
		}
		all = append(all, strings.Join(of, "+"))
	}
	return strings.Join(all, " ")
}

// statusWithin bounds the wait for a node's answer.
const statusWithin = 5 * time.Second

// Status asks the nodes that run, one after the other, until one answers.
func (c *Cluster) Status(ctx context.Context) (*Status, error) {
	err := errors.New("no node runs")
	for _, n := range c.Nodes {
		if !n.Running() || n.Paused() {
			continue
		}
		var s *Status
		if s, err = n.Status(ctx); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// Status asks one node.
func (n *Node) Status(ctx context.Context) (*Status, error) {
	ctx, cancel := context.WithTimeout(ctx, statusWithin)
	defer cancel()
	text, err := n.Tell(ctx, "cluster", "status", "-json")
	s := &Status{Text: text}
	bad := json.Unmarshal(text, s)
	if bad == nil {
		return s, nil // an exit code says that there are problems
	}
	return nil, fmt.Errorf("node %s: cluster status: %w: %.200s", n.Name, cmp.Or(err, bad), text)
}

// Tell runs one of the server's subcommands against the node, and returns what it prints.
func (n *Node) Tell(ctx context.Context, command ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, n.binary, append(command, "-config", n.config())...)
	text, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		err = fmt.Errorf("node %s: %v: %w", n.Name, command, err)
	}
	return text, err
}

// At is what is told of a node; nothing if it is none of the cluster's.
func (s *Status) At(name string) NodeStatus {
	for _, n := range s.Nodes {
		if n.Name == name {
			return n
		}
	}
	return NodeStatus{}
}
