package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"beanfield/storage/cluster"
)

// showCluster writes a status for people: the nodes, the shards if they differ, and what is wrong.
func showCluster(to io.Writer, st *cluster.Status) error {
	serves := "nobody serves now"
	if st.Owner != "" {
		serves = "node " + st.Owner + " serves"
	}
	fmt.Fprintf(to, "cluster %s, as node %s sees it: %s\n", st.Cluster, st.Node, serves)
	if st.Change != nil {
		fmt.Fprintln(to, changing(st.Change))
	}
	fmt.Fprintln(to)
	out := newSheet(to, false, "node", "alive", "role", "version", "lag", "problems")
	for i := range st.Nodes {
		n := &st.Nodes[i]
		alive, lag := "no", "?"
		switch {
		case n.Alive:
			alive, lag = "yes", fmt.Sprint(n.Lag)
		case n.Silence > 0:
			alive = fmt.Sprint("no, for ", time.Duration(n.Silence)*time.Second)
		}
		out.row(n.Name, alive, dash(role(n)), dash(n.Version), lag, dash(strings.Join(n.Problems, "; ")))
	}
	if len(st.Shards) > 0 {
		out.row("\nshard", "owner", "epoch", "record", "lag", "durable", "trim", "lanes led by", "on disk", "problem")
	}
	told := append([]string(nil), st.Problems...)
	for i := range st.Shards {
		s := &st.Shards[i]
		leaders, bytes := lanes(s.Lanes)
		out.row(s.Shard, dash(s.Owner), s.Epoch, s.Place, s.Lag, s.Durable, s.Trim, dash(leaders), dash(bytes),
			dash(s.Problem))
		if s.Aside != "" {
			told = append(told, fmt.Sprintf("a damaged copy of shard %d is kept in %s", s.Shard, s.Aside))
		}
	}
	if len(st.Takeovers) > 0 {
		out.row("\nserved since", "by", "epoch", "nobody before")
	}
	for _, t := range st.Takeovers {
		out.row(t.At.Format(time.DateTime), t.Owner, t.Epoch, fmt.Sprintf("%.1fs", t.Nobody))
	}
	for i, p := range told {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "node %s: %s\n", st.Node, p)
	}
	return out.Flush()
}

// role is what a node does, with what an operator has said of it.
func role(n *cluster.NodeStatus) string {
	var words []string
	if n.Alive && n.Role != "" || n.Role == cluster.Stopped {
		words = []string{n.Role}
	}
	if n.Joining {
		words = append(words, "joining")
	}
	if n.Drained {
		words = append(words, "drained")
	}
	if n.Left {
		words = append(words, "given up")
	}
	return strings.Join(words, ", ")
}

func dash(s string) string { return cmp.Or(s, "-") }

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

// showVerified has a line for each shard.
func showVerified(to io.Writer, v cluster.Verification) error {
	out := newSheet(to, false, "shard", "record", "jobs", "queues", "copies")
	for i := range v.Shards {
		s := &v.Shards[i]
		var jobs, queues any = "?", "?"
		for _, n := range s.Nodes {
			if n.Content != nil && !n.Differs {
				jobs, queues = n.Content.Jobs, n.Content.Queues
			}
		}
		out.row(s.Shard, s.At, jobs, queues, howEqual(s))
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
	how := " equal"
	switch {
	case len(same) == 0:
		return strings.Join(all, "; ")
	case len(contents) > 1:
		how = " differ from each other"
	case len(same) == 1:
		how = " alone"
	}
	return strings.Join(append([]string{strings.Join(same, ", ") + how}, all...), "; ")
}
