package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"beanfield/storage/cluster"
	"beanfield/storage/must"
)

// modelNode notes what it is told.
type modelNode struct {
	said string
	err  error
}

func (n *modelNode) Status() cluster.Status {
	return cluster.Status{Cluster: "c", Node: "a", Nodes: []cluster.NodeStatus{{Name: "a", Alive: true}}}
}

func (n *modelNode) Look(context.Context) cluster.Status { return n.Status() }

func (n *modelNode) Orders() (Orders, error) { return n, nil }

func (n *modelNode) Verify(context.Context) (cluster.Verification, error) {
	return cluster.Verification{Equal: true, Shards: []cluster.ShardVerified{{At: 7}}}, n.err
}

func (n *modelNode) note(command, node string, undo bool) error {
	n.said = command + " " + node
	if undo {
		n.said += " undo"
	}
	return n.err
}

func (n *modelNode) Move(_ context.Context, node string) error { return n.note("move", node, false) }
func (n *modelNode) Drain(_ context.Context, node string, undo bool) error {
	return n.note("drain", node, undo)
}
func (n *modelNode) Join(_ context.Context, node string) error { return n.note("join", node, false) }
func (n *modelNode) Rebuild(_ context.Context, node string, shard int) error {
	return n.note(fmt.Sprint("rebuild ", shard), node, false)
}
func (n *modelNode) Change(_ context.Context, o cluster.Change) error {
	return n.note("change", o.String(), false)
}
func (n *modelNode) Leave(_ context.Context, node string) error { return n.note("leave", node, false) }

// Each command reaches the node with what it says, and what the node answers comes back. CO1: nobody else
// may ask; CO2: however long the name of the directory is; CO3: nothing is left.
func TestControl(t *testing.T) {
	before := runtime.NumGoroutine()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, Name), nil, 0o644)) // what a process before has left
	n := &modelNode{}
	s := must.Get(Serve(dir, n, slog.New(slog.DiscardHandler)))
	if info := must.Get(os.Stat(filepath.Join(dir, Name))); info.Mode().Perm() != 0o600 {
		t.Errorf("CO1: the socket is %v", info.Mode())
	}
	var st cluster.Status
	must.Do(t, json.Unmarshal(must.Get(At(dir).Status(t.Context())), &st))
	if st.Cluster != "c" || len(st.Nodes) != 1 || !st.Nodes[0].Alive {
		t.Errorf("the status is %+v", st)
	}
	var v cluster.Verification
	must.Do(t, json.Unmarshal(must.Get(At(dir).Verify(t.Context())), &v))
	if !v.Equal || len(v.Shards) != 1 || v.Shards[0].At != 7 {
		t.Errorf("the copies are %+v", v)
	}
	for _, c := range []struct {
		command string
		order   Order
		said    string
	}{
		{"move", Order{Node: "b"}, "move b"}, {"drain", Order{Node: "b"}, "drain b"},
		{"drain", Order{Node: "b", Undo: true}, "drain b undo"},
		{"join", Order{}, "join a"}, {"leave", Order{Node: "c"}, "leave c"}, {"rebuild", Order{Node: "c", Shard: -1},
			"rebuild -1 c"},
		{"change", Order{Change: cluster.Change{Do: "remove", Node: "b"}}, "change remove b"},
	} {
		must.Do(t, At(dir).Obey(t.Context(), c.command, c.order))
		if n.said != c.said {
			t.Errorf("%s %+v: the node hears %q", c.command, c.order, n.said)
		}
	}
	n.err = errors.New("not now")
	if err := At(dir).Obey(t.Context(), "move", Order{Node: "b"}); err == nil || err.Error() != "not now" {
		t.Errorf("what it refuses is answered %v", err)
	}
	if _, err := At(dir).Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "not now") {
		t.Errorf("copies that cannot be compared: %v", err)
	}
	if err := At(dir).Obey(t.Context(), "dance", Order{}); err == nil ||
		err.Error() != `the node, which is of another version, does not know "dance"` {
		t.Errorf("what it does not know is answered %v", err)
	}
	s.Close()
	if _, err := At(dir).Status(t.Context()); err == nil || !strings.HasPrefix(err.Error(),
		"no node of a cluster runs with ") {
		t.Errorf("a node that has ended: %v", err)
	}
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("CO3: %d goroutines more than before", runtime.NumGoroutine()-before)
		}
	}
}
