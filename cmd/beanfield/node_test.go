package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/node"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// A directory that is not this cluster's is refused before anything is started; one that is in use, too.
func TestNodeRefusesADirectory(t *testing.T) {
	dir := t.TempDir()
	c := configOf(t, "", "[storage]\nbackend = 'pebble'\npath = '"+dir+
		"'\n[cluster]\nname = 'orders'\nnode = 'a'\nsecret = 'hush'\n"+
		"nodes = { a = 'h:1', b = 'h:2', c = 'h:3' }\n")
	must.Do(t, os.WriteFile(filepath.Join(dir, "beanfield.json"), []byte(`{"cluster":"mail"}`), 0o600))
	n := node.New(c, "1", slog.New(slog.DiscardHandler), node.Passing{})
	if err := n.Start(t.Context()); exit.Code(err) != exit.Storage || !strings.Contains(err.Error(),
		"belongs to the cluster mail") {
		t.Errorf("%v", err)
	}
	st := n.Status()
	if st.Cluster != "orders" || len(st.Nodes) != 3 || st.Shards == nil || len(st.Problems) != 1 {
		t.Errorf("before it has started it says %+v", st)
	}
	if _, err := os.Stat(pebblestore.ClusterDir(dir)); err == nil {
		t.Error("it has made files")
	}
}

// A copy that is getting a checkpoint is not a broken one, which somebody must look after.
func TestBrokenCopiesAndThoseThatAreRebuilt(t *testing.T) {
	for _, c := range []struct {
		status             cluster.ShardStatus
		failed, rebuilding bool
	}{
		{cluster.ShardStatus{}, false, false},
		{cluster.ShardStatus{Problem: "the disk has failed"}, true, false},
		{cluster.ShardStatus{Problem: "it waits for a checkpoint", Rebuilding: true}, false, true},
	} {
		c.status.Damaged = true
		if s := shardOf(&c.status); s.Failed != c.failed || s.Rebuilding != c.rebuilding || !s.Damaged {
			t.Errorf("%+v: failed is %v, rebuilding is %v", c.status, s.Failed, s.Rebuilding)
		}
	}
}
