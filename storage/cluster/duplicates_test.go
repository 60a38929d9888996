package cluster

import (
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"testing"

	"beanfield/storage/must"
)

// I5 on the real engine: a second process with the name of a node, and a copy of its promises, ends, and the first one
// serves on or follows. With an empty directory it would wait (CN9).
func TestTwoNodesWithOneName(t *testing.T) {
	c := newTrio(t)
	c.three()
	o := c.of("a")
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	o.Dir, o.Nodes, o.Logger = t.TempDir(), maps.Clone(o.Nodes), slog.New(slog.NewTextHandler(&c.log, nil)).With("node",
		"a again")
	o.Nodes["a"] = l.Addr().String()
	l.Close()
	var promised []byte
	until(t, "node a has promised something", func() bool {
		var err error
		promised, err = os.ReadFile(filepath.Join(c.dirs["a"], promisesName))
		return err == nil
	})
	must.Do(t, os.WriteFile(filepath.Join(o.Dir, promisesName), promised, 0o600))
	copies := &memory{}
	o.Open = func(o Opening) (Copies, error) {
		if copies.places == nil {
			copies.places, copies.turns = o.Origins, make([][]string, len(o.Origins))
		}
		return copies, nil
	}
	n, err := Start(limited(t), o)
	if err == nil {
		_, err = n.Term(limited(t))
		_ = n.Close(limited(t))
	}
	if !errors.Is(err, ErrRefused) {
		t.Error("the second one:", err)
	}
	c.fit("a", "b", "c")
	_, term := c.owner()
	c.append(term, "two;", "a", "b", "c")
}
