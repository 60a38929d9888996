package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"beanfield/storage/cluster"
)

// showCluster writes a status for people: the nodes, the shards if they differ, and what is wrong.
func showCluster(to io.Writer, st *cluster.Status) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	serves := "nobody serves now"
	if st.Owner != "" {
		serves = "node " + st.Owner + " serves"
	}
	fmt.Fprintf(out, "cluster %s, as node %s sees it: %s\n\n", st.Cluster, st.Node, serves)
	fmt.Fprintln(out, "node\talive\trole\tversion\tlag\tproblems")
	for i := range st.Nodes {
		n := &st.Nodes[i]
		alive, lag := "no", "?"
		if n.Alive {
			alive, lag = "yes", fmt.Sprint(n.Lag)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, alive, dash(role(n)), dash(n.Version), lag, dash(strings.Join(n.Problems, "; ")))
	}
	if differ(st.Shards) {
		fmt.Fprintln(out, "\nshard\towner\tepoch\trecord\tlag\tproblem")
		for _, s := range st.Shards {
			fmt.Fprintf(out, "%d\t%s\t%d\t%d\t%d\t%s\n", s.Shard, dash(s.Owner), s.Epoch, s.Place, s.Lag, dash(s.Problem))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i, p := range st.Problems {
		if i == 0 {
			fmt.Fprintln(to)
		}
		if _, err := fmt.Fprintf(to, "node %s: %s\n", st.Node, p); err != nil {
			return err
		}
	}
	return nil
}

// role is what a node does, with what an operator has said of it.
func role(n *cluster.NodeStatus) string {
	words := []string{n.Role}
	if n.Role == "" {
		words = nil
	}
	if n.Drained {
		words = append(words, "drained")
	}
	if n.Left {
		words = append(words, "given up")
	}
	return strings.Join(words, ", ")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// differ says whether the shards have more to tell than the nodes.
func differ(shards []cluster.ShardStatus) bool {
	return slices.ContainsFunc(shards, func(s cluster.ShardStatus) bool {
		return s.Owner != shards[0].Owner || s.Problem != "" || s.Lag > 0
	})
}
