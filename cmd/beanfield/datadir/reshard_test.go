package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// voted has a node's directory be one of a node that has voted, and served last.
func voted(t *testing.T, dir string) {
	t.Helper()
	var is cluster.Founding
	must.Do(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "cluster", cluster.FoundingName))), &is))
	var origins, zeros []string
	for _, b := range is.Origins {
		var origin uint64
		must.Get(fmt.Sscanf(b.Origin, "%x", &origin))
		origins, zeros = append(origins, fmt.Sprint(origin)), append(zeros, "0")
	}
	text := fmt.Sprintf(`{"cluster":"orders","origins":[%s],"kept":null,"ended":{"epochs":[%s],"numbers":[%[2]s],"nodes":["a"]},"sum":`,
		strings.Join(origins, ","), strings.Join(zeros, ","))
	text += fmt.Sprint(crc32.ChecksumIEEE([]byte(text+"0}")), "}")
	must.Do(t, os.WriteFile(filepath.Join(dir, "cluster", "promises"), []byte(text), 0o600))
}

// D3: a node's copies get another number of shards, and back. A command that was killed can be said again, with any
// number; until then the node is not started.
func TestReshard(t *testing.T) {
	_, dir, _ := member(t)
	to := func(n int) (Resharded, pebblestore.Counts, error) { return Reshard{"orders", dir, n}.Run(quiet()) }
	manifest := filepath.Join(dir, manifestName)
	pending := filepath.Join(dir, "cluster", cluster.ReshardName)
	if _, _, err := to(2); err == nil || !strings.Contains(err.Error(), "has not voted") {
		t.Error("a node that was never started:", err)
	}
	voted(t, dir)
	jobs, old := jobLines(listed(t, dir)), read(t, manifest)
	is := func(shards int, why string) {
		t.Helper()
		must.Do(t, MayBeOf(dir, "orders"))
		if m := must.Get(nodeOf(dir, "orders")); m.Shards != shards || jobLines(listed(t, dir)) != jobs {
			t.Errorf("%s: %d shards, with other jobs than before, or not %d", why, m.Shards, shards)
		}
	}
	for _, c := range []struct {
		to   int
		done Resharded
	}{{3, Unchanged}, {2, Moved}, {2, Unchanged}, {3, TakenBack}, {3, Unchanged}, {5, Moved}, {2, Moved}} {
		done, n, err := to(c.to)
		if err != nil || done != c.done || done == Moved && (n.Jobs != 4 || n.Shards != c.to || n.MaxID != 5000) {
			t.Errorf("to %d: %v, %+v, %v", c.to, done, n, err)
		}
		is(c.to, fmt.Sprint("to ", c.to))
	}
	for _, n := range []int{2, 3, 4} { // it was killed before the new shards counted
		if n != 2 {
			must.Get(to2(to(2)))
		}
		must.Do(t, os.WriteFile(manifest, []byte(old), 0o600))
		if err := MayBeOf(dir, "orders"); err == nil || !strings.Contains(err.Error(),
			"was cut short: say -to 2 again, or -to 3 to take it back") {
			t.Error("a node would be started:", err)
		}
		must.Get(to2(to(n)))
		is(n, fmt.Sprint("cut short, then to ", n))
	}
	must.Get(to2(to(3)))
	if _, err := os.Stat(pending); err == nil {
		t.Error("taken back, it is still to begin anew")
	}
	if _, _, err := (Reshard{"invoices", dir, 2}).Run(quiet()); err == nil || !strings.Contains(err.Error(),
		"not to invoices") {
		t.Error("another cluster's:", err)
	}
	f := must.Get(Claim(dir))
	if _, _, err := to(2); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error("beside a node:", err)
	}
	must.Do(t, f.Close())
}

// While the new shards count, what they are to begin is kept: it can be taken back later.
func TestReshardThatCannotBeTakenBackNow(t *testing.T) {
	_, dir, _ := member(t)
	voted(t, dir)
	to := func(n int) (Resharded, error) { return to2(Reshard{"orders", dir, n}.Run(quiet())) }
	must.Get(to(2))
	temp := filepath.Join(dir, manifestName+".tmp")
	must.Do(t, os.MkdirAll(filepath.Join(temp, "in"), 0o700)) // so the manifest cannot be written
	for _, n := range []int{3, 5} {
		if done, err := to(n); err == nil {
			t.Error("without the old shards it has done", done)
		}
	}
	must.Do(t, errors.Join(os.RemoveAll(temp), MayBeOf(dir, "orders")))
	if done, err := to(3); err != nil || done != TakenBack || must.Get(nodeOf(dir, "orders")).Shards != 3 {
		t.Errorf("%v, %v", done, err)
	}
}

func to2(done Resharded, _ pebblestore.Counts, err error) (Resharded, error) { return done, err }

// jobLines are a dump's jobs, whatever their shards.
func jobLines(dump string) string {
	var all []string
	for line := range strings.Lines(dump) {
		if line, _, _ = strings.Cut(line, `,"shard":`); strings.Contains(line, `"type":"job"`) {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
