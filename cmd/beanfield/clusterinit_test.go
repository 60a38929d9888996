package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/storage/must"
)

// commanded runs a command as a process of its own.
func commanded(t *testing.T, code int, words ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(binary(t), words...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%q ends with %d, want %d\n%s%s", words, cmd.ProcessState.ExitCode(), code, out.String(),
			errs.String())
	}
	return out.String(), errs.String()
}

// The jobs of a server by itself become a cluster's, and a node's those of a server again: that
// server has them, and so has the first one.
func TestProcessIntoAClusterAndOut(t *testing.T) {
	data, dir := dataDir(t), dataDir(t)
	p, c := onData(t, data)
	fill(c)
	file := filepath.Join(t.TempDir(), "node.toml")
	must.Do(t, os.WriteFile(file, fmt.Appendf(nil, "[storage]\nbackend = 'pebble'\nsync = 'always'\npath = '%s'\n[cluster]\nname = 'orders'\nnode = 'a'\nsecret = 's'\n"+
		"replicas = 1\n[cluster.nodes]\na = '127.0.0.1:11390'\n", dir), 0o600))
	_, says := commanded(t, 1, "cluster", "init", "-config", file, "-from", data)
	has(t, says, "is in use by process", "stop that server first")
	p.stop()

	out, _ := commanded(t, 0, "cluster", "init", "-config", file, "-from", data)
	has(t, out, dir+": ", " jobs (", "highest id ", "beginning of the cluster orders")
	prepare(t, "-b", dir).fails(exit.Storage, "belongs to a node of the cluster orders")
	_, says = commanded(t, 1, "cluster", "init", "-config", file, "-from", data)
	has(t, says, "data directory already")
	commanded(t, 2, "cluster", "init", "-from", data)
	commanded(t, 2, "cluster", "init", "-config", file)
	commanded(t, 2, "cluster", "detach")
	commanded(t, 2, "cluster", "enter")

	out, _ = commanded(t, 0, "cluster", "detach", "-json", "-config", file)
	var found map[string]any
	must.Do(t, json.Unmarshal([]byte(out), &found))
	for _, key := range []string{"path", "shards", "ready", "delayed", "buried", "jobs", "queues", "last_id"} {
		if _, ok := found[key]; !ok {
			t.Errorf("no %s in %s", key, out)
		}
	}
	for _, dir := range []string{dir, data} {
		p, c := onData(t, dir)
		checkFilled(c, fmt.Sprint(found["last_id"].(float64)+1))
		p.stop()
	}
}
