package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"beanfield/cmd/beanfield/control"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// where finds the data directory.
func (a *clustering) where(c *call) (dir string, err error) {
	switch {
	case a.dir != "" && a.config != "":
		return "", usagef("-dir and -config both name the data directory")
	case a.dir != "":
		return filepath.Abs(a.dir)
	}
	return c.dataDir(a.config, "or its data directory with -dir")
}

// ask has something asked of the node, within a time.
func (a *clustering) ask(c *call, what func(ctx context.Context, node control.Client) error) error {
	dir, err := a.where(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.patience, usualPatience))
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
	err := a.ask(c, func(ctx context.Context, node control.Client) error {
		return node.Obey(ctx, what, control.Order{Node: strings.Join(c.words, ""), Undo: a.undo, Shard: a.shard})
	})
	switch {
	case err != nil:
		return err
	case a.json:
		return encode(c.Stdout, struct{}{})
	}
	_, err = fmt.Fprintln(c.Stdout, "done")
	return err
}

// status shows what the node knows.
func (a *clustering) status(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	var text []byte
	err := a.ask(c, func(ctx context.Context, node control.Client) (err error) {
		text, err = node.Status(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		_, err := c.Stdout.Write(text)
		return err
	}
	var st cluster.Status
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	return showCluster(c.Stdout, &st)
}
