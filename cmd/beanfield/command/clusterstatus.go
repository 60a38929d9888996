package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

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
		switch {
		case n.Alive:
			alive, lag = "yes", fmt.Sprint(n.Lag)
		case n.Silence > 0:
			alive = fmt.Sprintf("no, for %s", (time.Duration(n.Silence) * time.Second).String())
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, alive, dash(role(n)), dash(n.Version), lag,
			dash(strings.Join(n.Problems, "; ")))
	}
	if len(st.Shards) > 0 {
		fmt.Fprintln(out, "\nshard\towner\tepoch\trecord\tlag\tdurable\ttrim\tlanes led by\ton disk\tproblem")
	}
	for i := range st.Shards {
		s := &st.Shards[i]
		leaders, bytes := lanes(s.Lanes)
		fmt.Fprintf(out, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n",
			s.Shard, dash(s.Owner), s.Epoch, s.Place, s.Lag, s.Durable, s.Trim, dash(leaders), dash(bytes),
			dash(s.Problem))
	}
	if len(st.Takeovers) > 0 {
		fmt.Fprintln(out, "\nserved since\tby\tepoch\tnobody before")
	}
	for _, t := range st.Takeovers {
		fmt.Fprintf(out, "%s\t%s\t%d\t%.1fs\n", t.At.Format(time.DateTime), t.Owner, t.Epoch, t.Nobody)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	told := st.Problems
	for _, s := range st.Shards {
		if s.Aside != "" {
			told = append(told[:len(told):len(told)], fmt.Sprintf("a damaged copy of shard %d is kept in %s", s.Shard,
				s.Aside))
		}
	}
	for i, p := range told {
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
	var words []string
	if n.Alive && n.Role != "" || n.Role == cluster.Stopped {
		words = []string{n.Role}
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

// lanes are who leads the lanes of a shard, and how large they are.
func lanes(of []cluster.LaneStatus) (leaders, bytes string) {
	var by, size []string
	for _, l := range of {
		by, size = append(by, cmp.Or(l.Leader, "?")), append(size, fmt.Sprintf("%.1f", float64(l.Bytes)/1e6))
	}
	if len(of) > 0 {
		bytes = strings.Join(size, " + ") + " MB"
	}
	return strings.Join(by, ", "), bytes
}
