package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"beanfield/cmd/beanfield/control"
	"beanfield/cmd/beanfield/datadir"
	"beanfield/router"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// clustering is the command cluster. Its first word says what to do.
type clustering struct {
	Config   string        `flag:"config the server's configuration <file>, on this machine (default USUAL)"`
	C        string        `flag:"c the same <file>"`
	Dir      string        `flag:"dir the node's data <directory>, instead of its configuration"`
	From     string        `flag:"from with init: the data <directory> of the server whose jobs the cluster is to have"`
	To       int           `flag:"to with reshard: how many <shards> the cluster is to have"`
	Undo     bool          `flag:"undo with drain: the node may serve again"`
	Shard    int           `flag:"shard with rebuild: only this <shard>; -1 is all"`
	Patience time.Duration `flag:"timeout longest <time> to wait (default 30s; verify, rebuild and changes 30m)"`

	word string
}

// allShards is what -shard is without one.
const allShards = -1

// rebuild is the word for it.
const rebuild = "rebuild"

// clusterActs are the words, and what each does. The call has the words behind it.
var clusterActs = map[string]func(a *clustering, c *call) error{
	"init": (*clustering).found, "detach": (*clustering).detach, "status": (*clustering).status,
	"verify": (*clustering).verify, "move": (*clustering).order, "drain": (*clustering).order,
	"join": (*clustering).order, "leave": (*clustering).order, rebuild: (*clustering).order,
	"add": (*clustering).change, "remove": (*clustering).change, "replace": (*clustering).change,
	"replicas": (*clustering).change,
	"reshard":  (*clustering).reshard,
}

func (a *clustering) run(c *call) (err error) {
	a.word, err = c.act("status", slices.Sorted(maps.Keys(clusterActs))...)
	a.Config = cmp.Or(a.Config, a.C)
	switch {
	case err != nil:
		return err
	case a.From != "" && a.word != "init":
		return usagef("-from is for init")
	case a.Shard != allShards && a.word != rebuild:
		return usagef("-shard is for rebuild")
	case a.To != 0 && a.word != "reshard":
		return usagef("-to is for reshard")
	case a.Undo && a.word != "drain":
		return usagef("-undo is for drain")
	case a.Dir != "" && (a.word == "init" || a.word == "detach" || a.word == "reshard"):
		return usagef("-dir is for a node that runs")
	}
	return clusterActs[a.word](a, c)
}

// where finds the data directory.
func (a *clustering) where(c *call) (dir string, err error) {
	switch {
	case a.Dir != "" && a.Config != "":
		return "", usagef("-dir and -config both name the data directory")
	case a.Dir != "":
		return filepath.Abs(a.Dir)
	}
	at, err := c.placeOnDisk(a.Config, "or its data directory with -dir")
	if err != nil {
		return "", err
	}
	return filepath.Abs(at.Data)
}

// How long the node may take, unless -timeout says: to obey, and to have all copies read.
const (
	usualPatience  = 30 * time.Second
	verifyPatience = 30 * time.Minute
)

// ask has something asked of the node, within a time.
func (a *clustering) ask(c *call, what func(ctx context.Context, node control.Client) error) error {
	dir, err := a.where(c)
	if err != nil {
		return err
	}
	patience := usualPatience
	if a.word == "verify" || a.word == rebuild || changes[a.word] != "" {
		patience = verifyPatience
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.Patience, patience))
	defer cancel()
	return what(ctx, control.At(pebblestore.ClusterDir(dir)))
}

// order tells the node something. All orders but to join must name a node.
func (a *clustering) order(c *call) error {
	switch {
	case len(c.words) > 1:
		return usagef("unknown argument %q", c.words[1])
	case len(c.words) == 0 && a.word != "join":
		return usagef("name a node")
	}
	name := strings.Join(c.words, "")
	return a.done(c, func(ctx context.Context, node control.Client) error {
		err := node.Obey(ctx, a.word, control.Order{Node: name, Undo: a.Undo, Shard: a.Shard})
		if err == nil && a.word == rebuild {
			err = a.rebuilt(ctx, c, node, name)
		}
		return err
	})
}

// done has something asked of the node, and says when that is done.
func (a *clustering) done(c *call, what func(ctx context.Context, node control.Client) error) error {
	err := a.ask(c, what)
	switch {
	case err != nil:
		return err
	case c.json:
		return encode(c.Stdout, struct{}{})
	}
	_, err = fmt.Fprintln(c.Stdout, "done")
	return err
}

// rebuildLook is how often it is looked how far it has come.
const rebuildLook = 200 * time.Millisecond

// rebuilt waits until the copies of a node are whole again, and tells how far they are.
func (a *clustering) rebuilt(ctx context.Context, c *call, node control.Client, name string) error {
	for said := ""; ; {
		st, err := statusOf(ctx, node)
		if ctx.Err() != nil {
			return fmt.Errorf("node %s has not done yet, and goes on", name)
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(st.Nodes, func(n cluster.NodeStatus) bool { return n.Name == name })
		if i < 0 || st.Nodes[i].Alive && !st.Nodes[i].Broken {
			return nil
		}
		if is := strings.Join(st.Nodes[i].Problems, "; "); is != said {
			said = is
			fmt.Fprintf(c.Stderr, "node %s: %s\n", name, is)
		}
		select {
		case <-ctx.Done():
		case <-time.After(rebuildLook):
		}
	}
}

func statusOf(ctx context.Context, node control.Client) (st cluster.Status, err error) {
	text, err := node.Status(ctx)
	if err == nil {
		err = json.Unmarshal(text, &st)
	}
	return st, err
}

// elsewhere says which other node serves, if a directory is that of a node: it alone can do what is asked of the
// server.
func elsewhere(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), usualPatience)
	defer cancel()
	st, err := statusOf(ctx, control.At(pebblestore.ClusterDir(dir)))
	switch {
	case err != nil, st.Owner == st.Node:
		return nil // it is no node, or the one
	case st.Owner == "":
		return errors.New("this node only follows, and nobody serves now")
	}
	return fmt.Errorf("this node only follows: node %s serves, and can make it", st.Owner)
}

// status shows what the node knows.
func (a *clustering) status(c *call) error {
	var st cluster.Status
	err := a.show(c, &st, control.Client.Status, func() error { return showCluster(c.Stdout, &st) })
	switch {
	case err != nil:
		return err
	case st.Owner == "":
		return errors.New("nobody serves now")
	case st.Troubled():
		return missingf("there are problems")
	}
	return nil
}

// verify has the copies of all nodes compared.
func (a *clustering) verify(c *call) error {
	var v cluster.Verification
	err := a.show(c, &v, control.Client.Verify, func() error { return showVerified(c.Stdout, v) })
	if err == nil && !v.Equal {
		err = errors.New("not all copies are known to be equal")
	}
	return err
}

// show gets an answer from the node, and prints it: as it is, or for people.
func (a *clustering) show(c *call, answer any, get func(control.Client, context.Context) (json.RawMessage, error),
	print func() error) error {
	if err := c.noWords(); err != nil {
		return err
	}
	return a.ask(c, func(ctx context.Context, node control.Client) error {
		text, err := get(node, ctx)
		if err == nil {
			err = json.Unmarshal(text, answer)
		}
		if err == nil && c.json {
			_, err = c.Stdout.Write(text)
		} else if err == nil {
			err = print()
		}
		return err
	})
}

// joined is what cluster init and cluster detach print: how much the directory has.
type joined struct {
	Path    string `json:"path"`
	Cluster string `json:"cluster,omitempty"`
	Shards  int    `json:"shards"`
	Ready   int    `json:"ready"`
	Delayed int    `json:"delayed"`
	Buried  int    `json:"buried"`
	Passed  int    `json:"passed,omitempty"`
	Jobs    int    `json:"jobs"`
	Queues  int    `json:"queues"`
	LastID  uint64 `json:"last_id"`
}

// joined prints the counts, and as text what is to be done next.
func (c *call) joined(path, cluster string, n pebblestore.Counts, next string) error {
	if c.json {
		return encode(c.Stdout, joined{path, cluster, n.Shards, n.Jobs - n.Delayed - n.Buried - n.Passed,
			n.Delayed, n.Buried, n.Passed, n.Jobs, n.Queues, n.MaxID})
	}
	_, err := fmt.Fprintf(c.Stdout,
		"%s: %d jobs (%d ready, %d delayed, %d buried), %d queues, highest id %d, in %d shards\n%s\n",
		path, n.Jobs, n.Jobs-n.Delayed-n.Buried, n.Delayed, n.Buried, n.Queues, n.MaxID, n.Shards, next)
	return err
}

// node is the name of the cluster, and the data directory, of the node with this configuration.
func (c *call) node(config string) (cluster, dir string, err error) {
	if err := c.noWords(); err != nil {
		return "", "", err
	}
	at, err := c.place(config, "")
	if err == nil && at.Cluster == "" {
		err = errors.New(config + " has no [cluster]: it is that of a server by itself")
	}
	return at.Cluster, at.Data, err
}

// found is cluster init: the configuration names the cluster and the empty directory of this node.
func (a *clustering) found(c *call) error {
	switch {
	case a.From == "":
		return usagef("-from is missing: the directory of the server whose jobs the cluster is to have")
	case a.Config == "":
		return usagef("-config is missing: the configuration of the node that is to have them first")
	}
	cluster, dir, err := c.node(a.Config)
	if err != nil {
		return err
	}
	n, err := datadir.Founding{Cluster: cluster, Dir: dir, From: a.From}.Run(c.logger())
	if err != nil {
		return err
	}
	return c.joined(dir, cluster, n, "It is the beginning of the cluster "+cluster+
		": start this node and then the others, which begin with empty directories.")
}

// reshard is cluster reshard: the configuration names the cluster and the directory of this node.
func (a *clustering) reshard(c *call) error {
	if a.To < 1 || a.To > router.MaxShards {
		return usagef("-to is missing: how many shards the cluster is to have, from 1 to %d", router.MaxShards)
	}
	if a.Config == "" {
		return usagef("-config is missing: the configuration of this node")
	}
	cluster, dir, err := c.node(a.Config)
	if err != nil {
		return err
	}
	done, n, err := datadir.Reshard{Cluster: cluster, Dir: dir, To: a.To}.Run(c.logger())
	switch {
	case err != nil:
		return err
	case done == datadir.Moved:
		return c.joined(dir, cluster, n, "Say this at the other nodes of "+cluster+", too, while all are stopped, and "+
			"then start them.")
	case c.json:
		return encode(c.Stdout, struct{}{})
	case done == datadir.TakenBack:
		_, err = fmt.Fprintf(c.Stdout, "%s: it has its %d shards again, as it was\n", dir, a.To)
	default:
		_, err = fmt.Fprintf(c.Stdout, "%s: it has %d shards already\n", dir, a.To)
	}
	return err
}

// detach is cluster detach: the directory is named by the configuration of the node, or by a word.
func (a *clustering) detach(c *call) (err error) {
	var cluster, dir string
	switch {
	case a.Config != "":
		cluster, dir, err = c.node(a.Config)
	case len(c.words) == 1:
		dir = c.words[0]
	default:
		err = usagef("name one directory, or give -config")
	}
	if err != nil {
		return err
	}
	n, err := datadir.Detach(dir, cluster, c.logger())
	if err != nil {
		return err
	}
	return c.joined(dir, "", n, "It is the directory of a server by itself now: remove [cluster] from its "+
		"configuration. "+
		dir+"/cluster has what the cluster's engine kept here. It is not needed any more, and may be removed.")
}
