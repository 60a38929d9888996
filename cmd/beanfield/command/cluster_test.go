package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/control"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
)

// aNode is one that notes what it is told.
type aNode struct {
	dir      string // of its data
	status   cluster.Status
	verified cluster.Verification
	said     string
	rebuilds []string // what is said of node c, one time after the other
	changes  []*cluster.ChangeStatus
	decided  uint64 // changes that it shows only after the next look, as one that follows
}

func (n *aNode) Status() cluster.Status { return n.status }
func (n *aNode) Look(context.Context) cluster.Status {
	st := n.status
	n.status.Members, n.decided = n.status.Members+n.decided, 0
	if len(n.changes) > 0 {
		st.Change, n.changes = n.changes[0], n.changes[1:]
	}
	if len(n.rebuilds) > 0 {
		c := cluster.NodeStatus{Name: "c", Alive: true, Broken: n.rebuilds[0] != "", Problems: n.rebuilds[:1]}
		st.Nodes, n.rebuilds = []cluster.NodeStatus{c}, n.rebuilds[1:]
	}
	return st
}
func (n *aNode) Orders() (control.Orders, error)           { return n, nil }
func (n *aNode) Move(_ context.Context, node string) error { n.said = "move " + node; return nil }
func (n *aNode) Verify(context.Context) (cluster.Verification, error) {
	return n.verified, nil
}
func (n *aNode) Join(_ context.Context, node string) error { n.said = "join " + node; return nil }
func (n *aNode) Leave(_ context.Context, _ string) error   { return errors.New("it lives") }
func (n *aNode) Rebuild(_ context.Context, node string, shard int) error {
	n.said = fmt.Sprint("rebuild ", shard, " of ", node)
	return nil
}
func (n *aNode) Change(_ context.Context, o cluster.Change) error {
	n.said = o.String()
	n.decided++
	return nil
}
func (n *aNode) Drain(_ context.Context, node string, undo bool) error {
	n.said = map[bool]string{false: "drain ", true: "undrain "}[undo] + node
	return nil
}

// ofNode is a node, and a function that runs the command cluster for it.
func ofNode(t *testing.T) (*aNode, func(args ...string) outcome) {
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "cluster"), 0o700))
	n := &aNode{dir: dir, status: cluster.Status{Cluster: "orders", Node: "a", Owner: "b",
		Problems: []string{"node c is gone"}, Nodes: []cluster.NodeStatus{
			{Name: "a", Alive: true, Role: "follower", Version: "1", Lag: 2},
			{Name: "b", Alive: true, Role: "owner", Version: "1", Drained: true, Problems: []string{"slow", "late"}},
			{Name: "c", Left: true},
		}, Shards: []cluster.ShardStatus{{Owner: "b", Epoch: 3}, {Shard: 1, Owner: "b", Epoch: 3}}}}
	s := must.Get(control.Serve(filepath.Join(dir, "cluster"), n, slog.New(slog.DiscardHandler)))
	t.Cleanup(s.Close)
	return n, func(args ...string) outcome {
		return placed(Place{Data: dir}, "", append([]string{"cluster"}, args...)...)
	}
}

// status is readable at a glance. Its exit code says whether nobody serves, or there are problems.
func TestClusterStatus(t *testing.T) {
	n, run := ofNode(t)
	const nodes = "cluster orders, as node a sees it: node b serves\n\n" +
		"node  alive       role            version  lag  problems\n" +
		"a     yes         follower        1        2    -\n" +
		"b     yes         owner, drained  1        0    slow; late\n" +
		"c     no, for 7s  given up        -        ?    -\n"
	n.status.Nodes[2].Silence = 7.5
	n.status.Takeovers = []cluster.Takeover{{At: time.Unix(0, 0).UTC(), Owner: "b", Epoch: 3, Nobody: 1.62}}
	n.status.Shards = []cluster.ShardStatus{
		{Owner: "b", Epoch: 3, Place: 90, Durable: 7, Trim: 5,
			Lanes: []cluster.LaneStatus{{Leader: "a", Bytes: 2_100_000}, {Leader: "c", Bytes: 9e4}}},
		{Shard: 1, Epoch: 4, Place: 7, Problem: "no room", Aside: "D", Lanes: make([]cluster.LaneStatus, 2)},
	}
	run("-c", "x").want(t, 3, nodes+"\nshard  owner  epoch  record  lag  durable  trim  lanes led by  on disk       "+
		"problem\n"+
		"0      b      3      90      0    7        5     a, c          2.1 + 0.1 MB  -\n"+
		"1      -      4      7       0    0        0     ?, ?          0.0 + 0.0 MB  no room\n\n"+
		"served since         by  epoch  nobody before\n1970-01-01 00:00:00  b   3      1.6s\n\nnode a: node c is gone\nnode a: a damaged copy of shard 1 is kept in D\n", "there are problems")
	n.status.Nodes[1].Problems, n.status.Shards[1].Problem, n.status.Problems, n.status.Nodes[0].Problems = nil, "",
		nil, nil
	run("status", "-c", "x").has(t, 0, "node b serves")
	n.status.Nodes[2].Left, n.status.Nodes[2].Role = false, cluster.Stopped
	run("status", "-c", "x").has(t, 3, "c     no, for 7s  stopped ")
	n.status.Owner = ""
	run("status", "-c", "x").has(t, 1, "nobody serves now")
	run("status", "-json", "-c", "x").has(t, 1, `{"name":"b","alive":true`)
}

// verify has a line for each shard, and fails unless all copies were compared and are equal.
func TestClusterVerify(t *testing.T) {
	n, run := ofNode(t)
	content := &cluster.Content{At: 9, Hash: "x", Jobs: 3, Queues: 1}
	nodes := []cluster.NodeVerified{{Name: "a", Content: content}, {Name: "b", Content: content},
		{Name: "c", Content: content}}
	n.verified = cluster.Verification{Equal: true, Shards: []cluster.ShardVerified{{At: 9, Equal: true, Nodes: nodes}}}
	const header = "shard  record  jobs  queues  copies\n"
	run("verify", "-c", "x").want(t, 0, header+"0      9       3     1       a, b, c equal\n", "")
	n.verified.Equal = false
	other := &cluster.Content{At: 9, Hash: "y", Jobs: 2}
	differs := cluster.NodeVerified{Name: "c", Content: other, Differs: true}
	silent := cluster.NodeVerified{Name: "c", Error: "it does not answer"}
	n.verified.Shards = []cluster.ShardVerified{
		{At: 9, Nodes: []cluster.NodeVerified{nodes[0], nodes[1], differs}},
		{Shard: 1, At: 9, Nodes: []cluster.NodeVerified{nodes[0], {Name: "b", Content: other}, silent}},
		{Shard: 2, Nodes: []cluster.NodeVerified{nodes[0], silent}},
		{Shard: 3, Nodes: []cluster.NodeVerified{silent}},
	}
	run("verify", "-c", "x").want(t, 1, header+"0      9       3     1       a, b equal; c differs\n"+
		"1      9       2     0       a, b differ from each other; c: it does not answer\n"+
		"2      0       3     1       a alone; c: it does not answer\n"+
		"3      0       ?     ?       c: it does not answer\n", "not all copies")
	run("verify", "-json", "-c", "x").has(t, 1, `"error":"it does not answer"`)
}

// rebuild tells how far it is, and ends when the copies are whole again. A backup is made where a node serves: which
// that is, another one says at once.
func TestClusterRebuildAndBackup(t *testing.T) {
	n, run := ofNode(t)
	n.rebuilds = []string{"1 of 2 MB", "1 of 2 MB", "2 of 2 MB", ""}
	run("rebuild", "c", "-c", "x").want(t, 0, "done\n", "node c: 1 of 2 MB\nnode c: 2 of 2 MB\n")
	if len(n.rebuilds) > 0 {
		t.Error("it has ended before")
	}
	for patience := 10 * time.Millisecond; ; patience *= 4 { // until there is time to give the order
		n.rebuilds = slices.Repeat([]string{"1 of 2 MB"}, 1000)
		if got := run("rebuild", "c", "-c", "x", "-timeout", patience.String()); !strings.Contains(got.stderr, "deadline") {
			got.want(t, 1, "", "has not done yet")
			break
		}
	}
	backup := func() outcome { return ran("backup", n.dir) }
	backup().want(t, 1, "", "this node only follows: node b serves")
	n.status.Owner = ""
	backup().want(t, 1, "", "nobody serves now")
	n.status.Owner = "a"
	backup().want(t, 1, "", "no server has")
}

// A change of the nodes is told, and its steps are shown until it is over.
func TestClusterChanges(t *testing.T) {
	n, run := ofNode(t)
	for _, said := range []string{"add d=h:1", "remove b", "replace b=h:2", "replicas 5"} {
		first := &cluster.ChangeStatus{Order: said, Step: "one"}
		n.changes = []*cluster.ChangeStatus{nil, nil, first, first, {Order: said, Step: "two", Waits: "for b"}, nil}
		run(append(strings.Fields(said), "-c", "x")...).want(t, 0, "done\n", said+": one\n"+said+": two (for b)\n")
		if n.said != said || len(n.changes) > 0 {
			t.Errorf("the node hears %q; %d looks are left", n.said, len(n.changes))
		}
	}
	old := &cluster.ChangeStatus{Order: "add c=h:1", Step: "one"}
	n.changes = []*cluster.ChangeStatus{old, old, nil}
	run("remove", "c", "-c", "x").want(t, 0, "done\n", "")
	n.changes = []*cluster.ChangeStatus{old, old, {Order: "remove c"}, nil}
	run("remove", "c", "-c", "x").want(t, 0, "done\n", "remove c: \n")
	n.said, n.status.Replicas, n.status.Nodes[2].Address = "", 5, "h:3"
	run("add", "c=h:3", "-c", "x").want(t, 0, "done\n", "c is one of the nodes already\n")
	run("replicas", "5", "-c", "x").want(t, 0, "done\n", "there are 5 replicas already\n")
	if n.said != "" {
		t.Errorf("the node hears %q", n.said)
	}
	n.changes = []*cluster.ChangeStatus{nil, {Order: "remove b"}, {Order: "add b=h:1"}}
	run("remove", "b", "-c", "x").want(t, 1, "", "another order has taken its place: add b=h:1")
	n.changes = slices.Repeat([]*cluster.ChangeStatus{{Order: "replicas 3", Step: "one"}}, 100)
	run("replicas", "3", "-c", "x", "-timeout", "2s").want(t, 1, "", "it is not done yet, and goes on")
	n.changes = n.changes[:1]
	run("status", "-c", "x").has(t, 3, "node b serves\nreplicas 3: one\n\nnode ")
}

// What a node is told reaches it, and what it answers is said.
func TestClusterOrders(t *testing.T) {
	n, run := ofNode(t)
	n.status.Nodes[2].Alive = true
	for _, c := range []struct {
		args, said string
	}{
		{"move b", "move b"}, {"drain c", "drain c"}, {"drain -undo c", "undrain c"}, {"join", "join a"},
		{"rebuild c", "rebuild -1 of c"}, {"rebuild -shard 1 c", "rebuild 1 of c"}, {"join c", "join c"},
	} {
		run(append(words(c.args), "-c", "x")...).want(t, 0, "done\n", "")
		if n.said != c.said {
			t.Errorf("%s: the node hears %q", c.args, n.said)
		}
	}
	talk(t, func(_ string, args ...string) outcome { return run(args...) }, `
$ move b -json -c x
{}
$ leave b -c x [1 it lives]
$ move [2 name a node]
$ add [2 add takes NODE=HOST:PORT]
$ add d [2 add takes NODE=HOST:PORT]
$ add d=127.0.0.1 [2 add takes NODE=HOST:PORT]
$ remove [2 remove takes NODE]
$ replicas x [2 replicas takes 1, 3 or 5]
$ remove b c [2 remove takes NODE]
$ moev b [2 what is "moev"?; did you mean move?]
$ drain b c [2 unknown argument "c"]
$ status a [2 unknown argument "a"]
$ verify b -c x [2 unknown argument "b"]
$ move b -undo [2 -undo is for drain]
$ status -dir x -config y [2 both name]
$ status -from x [2 -from is for init]
$ detach -dir x [2 -dir is for]
$ status -shard 1 [2 -shard is for]
$ status -dir /nowhere [1 no node of a cluster runs with /nowhere]`)
}
