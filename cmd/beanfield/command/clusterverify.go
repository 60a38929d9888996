package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"beanfield/cmd/beanfield/control"
	"beanfield/storage/cluster"
)

// How long the node may take, unless -timeout says: to obey, and to have all copies read.
const (
	usualPatience  = 30 * time.Second
	verifyPatience = 30 * time.Minute
)

// verify has the copies of all nodes compared.
func (a *clustering) verify(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	a.Patience = cmp.Or(a.Patience, verifyPatience)
	var text []byte
	err := a.ask(c, func(ctx context.Context, node control.Client) (err error) {
		text, err = node.Verify(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var v cluster.Verification
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if c.json {
		_, err = c.Stdout.Write(text)
	} else {
		err = showVerified(c.Stdout, v)
	}
	if err == nil && !v.Equal {
		err = errors.New("not all copies are known to be equal")
	}
	return err
}

// showVerified has a line for each shard.
func showVerified(to io.Writer, v cluster.Verification) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "shard\trecord\tjobs\tqueues\tcopies")
	for i := range v.Shards {
		s := &v.Shards[i]
		jobs, queues := "?", "?"
		for _, n := range s.Nodes {
			if n.Content != nil && !n.Differs {
				jobs, queues = fmt.Sprint(n.Content.Jobs), fmt.Sprint(n.Content.Queues)
			}
		}
		fmt.Fprintf(out, "%d\t%d\t%s\t%s\t%s\n", s.Shard, s.At, jobs, queues, howEqual(s))
	}
	return out.Flush()
}

// howEqual says which nodes' copies are equal, and what is with the others.
func howEqual(s *cluster.ShardVerified) string {
	var same, all []string
	contents := map[cluster.Content]bool{}
	for _, n := range s.Nodes {
		switch {
		case n.Content == nil:
			all = append(all, n.Name+": "+n.Error)
		case n.Differs:
			all = append(all, n.Name+" differs")
		default:
			same = append(same, n.Name)
			contents[*n.Content] = true
		}
	}
	how := ""
	switch {
	case len(contents) > 1:
		how = " differ from each other"
	case len(same) > 1:
		how = " equal"
	case len(same) == 1:
		how = " alone"
	}
	if how != "" {
		all = append([]string{strings.Join(same, ", ") + how}, all...)
	}
	return strings.Join(all, "; ")
}
