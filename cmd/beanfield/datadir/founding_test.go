package datadir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
	"beanfield/storage/turns"
)

// listed is what a dump shows.
func listed(t *testing.T, dir string) string {
	t.Helper()
	status, out, errs := command("-json", "-bodies", dir)
	if status != 0 {
		t.Fatalf("dump %s: %s", dir, errs)
	}
	return out
}

// member writes a directory and founds a cluster with its jobs.
func member(t *testing.T) (from, dir string, counts pebblestore.Counts) {
	t.Helper()
	from, dir = filepath.Join(t.TempDir(), "from"), t.TempDir()
	fill(t, from, 3, jobs())
	return from, dir, must.Get(Founding{"orders", dir, from}.Run(quiet()))
}

// A server's directory becomes the first one of a cluster and stays as it was. A node's becomes that
// of a server by itself, with the same jobs.
func TestFoundingAndDetaching(t *testing.T) {
	from, dir, counts := member(t)
	want := pebblestore.Counts{Jobs: 4, Delayed: 1, Buried: 2, Shards: 3, MaxID: 5000}
	if counts != want {
		t.Errorf("founded with %+v, want %+v", counts, want)
	}
	before := listed(t, from)
	var is cluster.Founding
	must.Do(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "cluster", "founding.json"))), &is))
	if is.Cluster != "orders" || is.Shards != 3 || len(is.Origins) != 3 || len(is.Origins[0].Origin) != 16 ||
		len(is.Origins[0].Base) != 16 ||
		is.Origins[0] == is.Origins[1] {
		t.Errorf("the logs begin at %+v", is)
	}
	for _, another := range []string{"", "orders"} {
		counts, err := Detach(dir, another, quiet())
		if another == "" && (err != nil || counts != want) {
			t.Errorf("detached with %+v, %v", counts, err)
		} else if another != "" && (err == nil || !strings.Contains(err.Error(), "belongs to no cluster")) {
			t.Errorf("detached again: %v", err)
		}
	}
	if got := listed(t, dir); got != before {
		t.Errorf("detached: %s\nwant %s", got, before)
	}
	restart(t, dir, 3)
	restart(t, from, 3)
	if got := listed(t, from); got != before {
		t.Errorf("the server's directory: %s\nwant %s", got, before)
	}
}

// What stands in the way is said before anything is written.
func TestFoundingIsRefused(t *testing.T) {
	from, dir, _ := member(t)
	empty, plain := t.TempDir(), t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(plain, "notes"), nil, 0o600))
	ran := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(ran, "cluster", "engine"), 0o700))
	inside := filepath.Join(from, "inside")
	must.Do(t, os.Mkdir(inside, 0o700))
	for what, c := range map[string]struct{ from, dir, says string }{
		"no directory":         {filepath.Join(plain, "none"), empty, "no such file"},
		"no data directory":    {plain, empty, "not a data directory of beanfield"},
		"one of a cluster":     {dir, empty, "belongs to a node of the cluster orders"},
		"into one of another":  {from, dir, "is a data directory already"},
		"into foreign files":   {from, plain, "holds notes"},
		"where a node has run": {from, ran, "it has engine, of a node that has run"},
		"one in the other":     {from, inside, "is inside"},
		"into itself":          {from, from, "is a data directory already"},
	} {
		if _, err := (Founding{"orders", c.dir, c.from}).Run(quiet()); err == nil || !strings.Contains(err.Error(),
			c.says) {
			t.Errorf("%s: %v, want %s", what, err, c.says)
		}
	}
	for _, dir := range []string{empty, inside} {
		if left := must.Get(os.ReadDir(dir)); len(left) > 0 {
			t.Errorf("%s has %s", dir, left[0].Name())
		}
	}
	for what, c := range map[string]struct{ dir, cluster, says string }{
		"another's":         {dir, "invoices", "belongs to the cluster orders, not to invoices"},
		"a server's":        {from, "", "belongs to no cluster"},
		"no data directory": {plain, "", "not a data directory of beanfield"},
	} {
		if _, err := Detach(c.dir, c.cluster, quiet()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("detach %s: %v, want %s", what, err, c.says)
		}
	}
}

// D2: a copy that was cut short is no data directory, whoever looks, and the next one starts over in it.
func TestFoundingStartsOver(t *testing.T) {
	from, dir := filepath.Join(t.TempDir(), "from"), t.TempDir()
	fill(t, from, 2, jobs())
	f := Founding{"orders", dir, from}
	must.Do(t, os.MkdirAll(filepath.Join(dir, "cluster", "founding.json.new"), 0o700)) // it cannot be written
	if _, err := f.Run(quiet()); err == nil {
		t.Fatal("founded without saying where the logs begin")
	}
	_, err := pebblestore.OpenReplicas(pebblestore.ReplicaOptions{Options: offline(dir, quiet()), Cluster: "orders",
		Origins: make([]turns.Place, 2)})
	if !errors.Is(err, pebblestore.ErrUnfinished) {
		t.Errorf("a node: %v", err)
	}
	if _, err := Detach(dir, "", quiet()); err == nil {
		t.Error("detached")
	}
	must.Do(t, os.Remove(filepath.Join(dir, "cluster", "founding.json.new")))
	must.Get(f.Run(quiet()))
	must.Get(Detach(dir, "orders", quiet()))
	if listed(t, dir) != listed(t, from) {
		t.Error("other jobs")
	}
}

// Between file systems the jobs are copied byte by byte: there must be room.
func TestFoundingNeedsRoom(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"a", "b"} {
		must.Do(t, os.WriteFile(filepath.Join(from, name), make([]byte, 3<<20), 0o600))
	}
	for room, fine := range map[uint64]bool{6 << 20: true, 6<<20 - 1: false} {
		err := fits(from, dir, func(string) (uint64, error) { return room, nil })
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "5 MB free: the copy of "+from+
			" may take 7 MB") {
			t.Errorf("with %d bytes free: %v", room, err)
		}
	}
	must.Do(t, roomFor(from, dir))
}

// What a process writes in another user's directory, that user's server could not open.
func TestFoundingIsByTheServersUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can have two users")
	}
	from, dir, _ := member(t)
	empty := t.TempDir()
	must.Do(t, os.Chown(empty, 1234, -1))
	if _, err := (Founding{"orders", empty, from}).Run(quiet()); err == nil || !strings.Contains(err.Error(),
		"belongs to user 1234") {
		t.Errorf("founded: %v", err)
	}
	must.Do(t, os.Chown(dir, 1234, -1))
	if _, err := Detach(dir, "", quiet()); err == nil || !strings.Contains(err.Error(), "belongs to user 1234") {
		t.Errorf("detached: %v", err)
	}
}
