package nodes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"beanfield/tools/server"
)

// Options say what kind of cluster is wanted.
type Options struct {
	Binary  string   // the server
	Dir     string   // where each node gets a directory; it exists
	Names   []string // nil: a, b and c; a single one is a server without [cluster]
	Spare   []string // further nodes, which no other one knows: they may be added
	Proxied bool     // whether the nodes reach each other through a Network
	Shards  int      // 0: as many as the server makes of it
	Config  string   // each configuration begins with it
	// Storage is added to the table [storage] of each configuration.
	Storage string
	Limits  string   // likewise [limits]
	TLS     bool     // clients may come to a second address, with TLS; one with the node's certificate is known by it
	Sealed  bool     // the nodes use TLS among themselves
	Queue   bool     // the nodes serve the queue service, too
	Flags   []string // of each process
}

// A Cluster is a set of nodes on this machine.
type Cluster struct {
	Options
	Nodes   []*Node  // in the order of their names
	Network *Network // nil without links between
}

// What the nodes of a cluster share.
const (
	Name   = "tools"
	Secret = "of the nodes on this machine"
)

// Default are the names of three nodes.
var Default = []string{"a", "b", "c"}

// New makes the nodes' directories and configurations, and the links. It starts no node.
func New(o Options) (*Cluster, error) {
	if o.Names == nil {
		o.Names = slices.Clone(Default)
	}
	c := &Cluster{Options: o}
	all := slices.Concat(o.Names, o.Spare)
	for i, name := range all {
		n, err := newNode(o, name)
		if err != nil {
			return nil, err
		}
		n.Out = i >= len(o.Names)
		c.Nodes = append(c.Nodes, n)
	}
	err := c.certify()
	if o.Proxied && len(all) > 1 {
		c.Network = newNetwork(all, c.dialler)
		for _, n := range c.Nodes {
			err = errors.Join(err, c.Rehouse(n, c.Vacant(n)))
		}
	}
	for _, n := range c.Nodes {
		err = errors.Join(err, c.Configure(n))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Configure writes a node's configuration, which its next start reads.
func (c *Cluster) Configure(n *Node) error { return os.WriteFile(n.config(), []byte(c.text(n)), 0o600) }

// certify makes the certificate of all nodes.
func (c *Cluster) certify() error {
	if !c.TLS && !c.Sealed {
		return nil
	}
	return server.Certify(c.Certificate())
}

// Certificate is the files of all nodes, in a cluster that has TLS.
func (c *Cluster) Certificate() (cert, key string) {
	return filepath.Join(c.Dir, "cert.pem"), filepath.Join(c.Dir, "key.pem")
}

// Process is the node whose process has, or had, this number; nil if none has.
func (c *Cluster) Process(pid int) *Node {
	i := slices.IndexFunc(c.Nodes, func(n *Node) bool {
		n.known.Lock()
		defer n.known.Unlock()
		return slices.Contains(n.pids, pid)
	})
	if i < 0 {
		return nil
	}
	return c.Nodes[i]
}

// Vacant is an address at which no node has been found: another machine's.
func (c *Cluster) Vacant(n *Node) string { return net.JoinHostPort(c.Network.host(), port(n.Engine)) }

// Rehouse has a node that does not run found at another address only.
func (c *Cluster) Rehouse(n *Node, at string) error {
	c.Network.shut(n.Name)
	return c.Hide(n, at)
}

// Hide has a node that does not run found at an address, perhaps where it has listened, and listen at another one.
func (c *Cluster) Hide(n *Node, at string) error {
	n.At, n.Engine = at, c.Vacant(n)
	return errors.Join(c.Network.open(n.Name, n.At, n.Engine), c.Configure(n))
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// Node is the node of a name, which exists.
func (c *Cluster) Node(name string) *Node {
	i := slices.IndexFunc(c.Nodes, func(n *Node) bool { return n.Name == name })
	return c.Nodes[i]
}

// text is a node's configuration.
func (c *Cluster) text(n *Node) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if c.Shards > 0 {
		line("shards = %d", c.Shards)
	}
	line("%s", c.Config)
	line("[[listen]]\naddress = '%s'", n.Client)
	if c.TLS {
		cert, key := c.Certificate()
		line("[[listen]]\naddress = '%s'\ncert = '%s'\nkey = '%s'\nclient_ca = '%s'\n"+
			"client_auth = 'optional'", n.TLS, cert, key, cert)
	}
	line("[http]\nlisten = ['%s']", n.HTTP)
	line("[log]\nlevel = 'info'")
	line("[storage]\nbackend = 'pebble'\npath = '%s'", n.Data())
	if c.Storage != "" {
		line("%s", c.Storage)
	}
	if c.Limits != "" {
		line("[limits]\n%s", c.Limits)
	}
	if len(c.Nodes) == 1 {
		return b.String()
	}
	line("[cluster]\nname = '%s'\nnode = '%s'\nsecret = '%s'", Name, n.Name, Secret)
	if c.Sealed {
		cert, key := c.Certificate()
		line("cert = '%s'\nkey = '%s'\nca = '%s'", cert, key, cert)
	}
	line("[cluster.nodes]")
	for _, m := range c.Nodes {
		switch {
		case m == n:
			line("%s = '%s'", m.Name, m.Engine)
		case !slices.Contains(c.Spare, m.Name):
			line("%s = '%s'", m.Name, m.At)
		}
	}
	return b.String()
}

// Start starts all nodes of the cluster that do not run, and waits for none of them.
func (c *Cluster) Start() error {
	var all error
	for _, n := range c.Nodes {
		if !n.Out && !n.Running() {
			all = errors.Join(all, n.Start())
		}
	}
	return all
}

// Serving waits until one of the nodes serves clients, and returns it.
func (c *Cluster) Serving(ctx context.Context) (*Node, error) {
	for {
		for _, n := range c.Nodes {
			if n.Running() && n.Serves(ctx) {
				return n, nil
			}
			if err := n.Ended(); err != nil {
				return nil, fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no node serves: %w", ctx.Err())
		case <-pause():
		}
	}
}

// Kill ends all processes with SIGKILL.
func (c *Cluster) Kill() {
	for _, n := range c.Nodes {
		n.Kill()
	}
}

// Stop stops all nodes in order, the last one first. Nodes that are paused go on before.
func (c *Cluster) Stop() error {
	var all error
	for _, n := range slices.Backward(c.Nodes) {
		all = errors.Join(all, n.Stop())
	}
	return all
}

// Close kills what still runs, and ends the links. The directories stay.
func (c *Cluster) Close() error {
	c.Kill()
	if c.Network != nil {
		c.Network.close()
	}
	var all error
	for _, n := range c.Nodes {
		all = errors.Join(all, n.log.Close())
	}
	return all
}

func newNode(o Options, name string) (*Node, error) {
	var addrs [6]string // the last one stays free: next to its engine a node listens for those who pass clients on
	for i := range addrs {
		port, err := server.FreePort()
		if err != nil {
			return nil, err
		}
		addrs[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	n := &Node{Name: name, Client: addrs[0], HTTP: addrs[1], TLS: addrs[2], Queue: addrs[3], Engine: addrs[4],
		At: addrs[4], Dir: filepath.Join(o.Dir, name), of: o, binary: o.Binary}
	if err := os.MkdirAll(n.Data(), 0o700); err != nil {
		return nil, err
	}
	var err error
	n.log, err = os.OpenFile(n.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return n, err
}
