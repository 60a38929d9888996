package main

import (
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/node"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

// A directory that is not this cluster's is refused before anything is started; one that is in use, too.
func TestNodeRefusesADirectory(t *testing.T) {
	dir := t.TempDir()
	c := configOf(t, "", "[storage]\nbackend = 'pebble'\npath = '"+dir+
		"'\n[cluster]\nname = 'orders'\nnode = 'a'\nsecret = 'hush'\n"+
		"nodes = { a = 'h:1', b = 'h:2', c = 'h:3' }\n")
	must.Do(t, os.WriteFile(filepath.Join(dir, "beanfield.json"), []byte(`{"cluster":"mail"}`), 0o600))
	n := node.New(c, "1", slog.New(slog.DiscardHandler))
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

// A cluster of one node, with the real engine: jobs are back after a stop and after a kill, the node is shown,
// and may be asked.
func TestProcessOfACluster(t *testing.T) {
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
	p := prepare(t, "-config", "DIR/c.toml")
	mustMkdir(t, filepath.Join(p.dir, "data"))
	text := strings.ReplaceAll("shards = 2\n[[listen]]\naddress = 'unix:DIR/s'\n[http]\nlisten = "+
		"['unix:DIR/h']\n[storage]\nbackend = 'pebble'\npath = 'DIR/data'\n"+
		"[cluster]\nname = 'c'\nnode = 'a'\nsecret = 's'\nreplicas = 1\nnodes = { a = '"+freeAddress(t)+"' }\n", "DIR",
		p.dir)
	must.Do(t, os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte(text), 0o600))
	serves := func(p *process) {
		t.Helper()
		p.start()
		until(t, "it serves", func() bool {
			status, _ := page(t, p.dir+"/h", "/readyz", "")
			return status == 200
		})
	}
	again := func() *process {
		next := prepare(t, "-config", p.dir+"/c.toml")
		next.dir = p.dir
		return next
	}
	serves(p)
	p.client().expect("put 0 0 60 1\r\nx", "INSERTED 1")
	p.signal(syscall.SIGTERM)
	p.ends(0)
	second := again()
	serves(second)
	c := second.client()
	c.expect("peek 1", "FOUND 1 1\r\nx")
	c.expect("delete 1", "DELETED")
	c.expect("put 0 0 60 1\r\ny", "INSERTED 2")
	second.kill()
	third := again()
	serves(third)
	third.client().expect("peek 1", "NOT_FOUND")
	third.client().expect("peek 2", "FOUND 2 1\r\ny")
	out, err := exec.Command(binary(t), "cluster", "status", "-config", p.dir+"/c.toml").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "node a serves") {
		t.Errorf("the status is\n%s%v", out, err)
	}
	third.signal(syscall.SIGTERM)
	third.ends(0)
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
