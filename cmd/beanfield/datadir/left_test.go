package datadir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// emptied has had n jobs, all of which are deleted; a table with the jobs, old, is still there,
// as Pebble may leave it.
func emptied(t *testing.T, n uint64) (dir, old string) {
	t.Helper()
	all, full, empty := some(n, small), t.TempDir(), t.TempDir()
	fill(t, full, 1, all)
	fill(t, empty, 1, all)
	store, logs := opened(t, empty, 1)
	for _, j := range all {
		logs[0].Delete(&j.Job)
	}
	commit(t, logs[0])
	must.Do(t, store.Close())
	dir = copied(t, empty)
	old = filepath.Join(dir, "gen-000001", "shard-000", "000900.sst")
	must.Do(t, os.WriteFile(old, []byte(read(t, largest(t, copied(t, full)))), 0o600))
	return dir, old
}

// A deleted job does not come back because a table is still there that is no longer in use. If
// nothing tells which tables are in use, the salvage says how many jobs may be back, and does not
// end with 0.
func TestSalvageOfWhatIsLeftBehind(t *testing.T) {
	dir, old := emptied(t, 100)
	status, stdout, stderr := command("-salvage", filepath.Join(t.TempDir(), "new"), dir)
	if status != 0 || savedJobs(t, stdout) != 0 || strings.Contains(stdout, "back:") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if err := Verify(dir, new(strings.Builder), false); err != nil {
		t.Error(err)
	}
	for _, path := range globbed(t, dir, "[M0-9]*") { // the mark stays
		if path == old {
			continue
		}
		must.Do(t, os.Remove(path))
	}
	status, stdout, stderr = command("-salvage", filepath.Join(t.TempDir(), "new"), dir)
	if status != 3 || savedJobs(t, stdout) != 100 ||
		!strings.Contains(stdout, "back: 100 of the jobs may have been deleted before") {
		t.Errorf("without manifests: status %d, %s%s", status, stdout, stderr)
	}
}
