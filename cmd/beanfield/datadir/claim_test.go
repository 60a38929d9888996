package datadir

import (
	"os"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// A node's directory is used by one process at a time, also while that one waits for other nodes.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.Mkdir(pebblestore.ClusterDir(dir), 0o700))
	must.Do(t, idle(dir))
	if _, err := os.Stat(claimOf(dir)); err == nil {
		t.Error("who asks leaves a file behind")
	}
	f := must.Get(Claim(dir))
	if _, err := Claim(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Error("a second claim:", err)
	}
	if err := idle(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Error("it counts as idle:", err)
	}
	must.Do(t, f.Close())
	must.Do(t, idle(dir))
	must.Do(t, must.Get(Claim(dir)).Close())
	if _, err := Claim(dir + "/none"); err == nil {
		t.Error("a directory that is not there can be claimed")
	}
}
