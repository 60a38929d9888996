package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"beanfield/cmd/beanfield/control"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// where finds the data directory.
func (a *clustering) where(c *call) (dir string, err error) {
	switch {
	case a.Dir != "" && a.Config != "":
		return "", usagef("-dir and -config both name the data directory")
	case a.Dir != "":
		return filepath.Abs(a.Dir)
	}
	return c.dataDir(a.Config, "or its data directory with -dir")
}

// ask has something asked of the node, within a time.
func (a *clustering) ask(c *call, what func(ctx context.Context, node control.Client) error) error {
	dir, err := a.where(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.Patience, usualPatience))
	defer cancel()
	return what(ctx, control.At(pebblestore.ClusterDir(dir)))
}

// order tells the node something. named says that another node must be named.
func (a *clustering) order(c *call, what string, named bool) error {
	switch {
	case len(c.words) > 1:
		return usagef("unknown argument %q", c.words[1])
	case named && len(c.words) == 0:
		return usagef("name a node")
	}
	name := strings.Join(c.words, "")
	err := a.ask(c, func(ctx context.Context, node control.Client) error {
		err := node.Obey(ctx, what, control.Order{Node: name, Undo: a.Undo, Shard: a.Shard})
		if err == nil && what == rebuild {
			err = a.rebuilt(ctx, c, node, name)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case c.json:
		return encode(c.Stdout, struct{}{})
	}
	_, err = fmt.Fprintln(c.Stdout, "done")
	return err
}

// rebuild is the word for it.
const rebuild = "rebuild"

// rebuildLook is how often it is looked how far it has come.
const rebuildLook = 200 * time.Millisecond

// rebuilt waits until the copies of a node are whole again, and tells how far they are.
func (a *clustering) rebuilt(ctx context.Context, c *call, node control.Client, name string) error {
	for said := ""; ; {
		_, st, err := statusOf(ctx, node)
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
			return fmt.Errorf("node %s has not done yet, and goes on", name)
		case <-time.After(rebuildLook):
		}
	}
}

func statusOf(ctx context.Context, node control.Client) (text []byte, st cluster.Status, err error) {
	if text, err = node.Status(ctx); err == nil {
		err = json.Unmarshal(text, &st)
	}
	return text, st, err
}

// elsewhere says which other node serves, if a directory is that of a node: it alone can do what is asked of the
// server.
func elsewhere(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), usualPatience)
	defer cancel()
	_, st, err := statusOf(ctx, control.At(pebblestore.ClusterDir(dir)))
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
	if err := c.noWords(); err != nil {
		return err
	}
	var text []byte
	var st cluster.Status
	err := a.ask(c, func(ctx context.Context, node control.Client) (err error) {
		text, st, err = statusOf(ctx, node)
		return err
	})
	if err != nil {
		return err
	}
	if c.json {
		_, err = c.Stdout.Write(text)
	} else {
		err = showCluster(c.Stdout, &st)
	}
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
