package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"beanfield/cmd/beanfield/control"
	"beanfield/storage/cluster"
)

// changes are the words that change the cluster's nodes, and what each is to be told.
var changes = map[string]string{
	"add":      "NODE=HOST:PORT",
	"remove":   "NODE",
	"replace":  "NODE=HOST:PORT",
	"replicas": "1, 3 or 5",
}

// change has the cluster change its nodes, and shows how far that is until it is done.
func (a *clustering) change(c *call) error {
	o := cluster.Change{Do: a.word}
	want, ok := changes[a.word], len(c.words) == 1
	switch word := strings.Join(c.words, ""); want {
	case changes["add"]:
		o.Node, o.Address, _ = strings.Cut(word, "=")
		_, port, err := net.SplitHostPort(o.Address)
		ok = ok && err == nil && o.Node != "" && port != ""
	case changes["remove"]:
		o.Node = word
	default:
		n, err := strconv.Atoi(word)
		o.Replicas, ok = n, ok && err == nil
	}
	if !ok {
		return usagef("%s takes %s", a.word, want)
	}
	return a.done(c, func(ctx context.Context, node control.Client) error {
		st, err := statusOf(ctx, node)
		if is := already(&st, o); err == nil && is != "" && st.Change == nil {
			fmt.Fprintln(c.Stderr, is)
			return nil
		}
		if err == nil {
			err = node.Obey(ctx, "change", control.Order{Node: st.Node, Change: o})
		}
		if err == nil {
			err = a.changed(ctx, c, node, o, &st)
		}
		return err
	})
}

// already says that there is nothing to do for an order; empty if there is, or somebody else is to say why not.
func already(st *cluster.Status, o cluster.Change) string {
	if o.Do == "replicas" && o.Replicas == st.Replicas {
		return fmt.Sprintf("there are %d replicas already", o.Replicas)
	}
	for _, n := range st.Nodes {
		if o.Do == "add" && o.Node == n.Name && o.Address == n.Address {
			return o.Node + " is one of the nodes already"
		}
	}
	return ""
}

// changed waits until a change is over that has begun.
func (a *clustering) changed(ctx context.Context, c *call, node control.Client, o cluster.Change,
	before *cluster.Status) error {
	// A node that follows may show for a while what was under way before: ours says that it has shown this order.
	for said, ours := "", before.Change != nil && before.Change.Order == o.String(); ; {
		st, err := statusOf(ctx, node)
		switch {
		case err != nil && ctx.Err() == nil && o.Do == "remove" && o.Node == before.Node:
			return errors.New("this node has left, and ends: cluster status at another one tells whether all is done")
		case err != nil && ctx.Err() == nil:
			return err
		case err != nil:
		case st.Change == nil && (ours || st.Members > before.Members):
			return nil
		case st.Change != nil && st.Change.Order == o.String():
			ours = true
		case st.Change != nil && ours:
			return fmt.Errorf("another order has taken its place: %s", st.Change.Order)
		}
		if ours && st.Change != nil {
			if is := changing(st.Change); is != said {
				said = is
				fmt.Fprintln(c.Stderr, is)
			}
		}
		select {
		case <-ctx.Done():
			return errors.New("it is not done yet, and goes on: cluster status tells how far it is")
		case <-time.After(rebuildLook):
		}
	}
}

// changing is how far a change is.
func changing(c *cluster.ChangeStatus) string {
	text := c.Order + ": " + c.Step
	if c.Waits != "" {
		text += " (" + c.Waits + ")"
	}
	return text
}
