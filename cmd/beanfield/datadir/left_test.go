package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// globbed are the files of a shard whose names match.
func globbed(t *testing.T, dir, pattern string) []string {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(dir, "gen-*", "*", pattern)))
	return paths
}

// emptied has had n jobs, all of which are deleted; a table with the jobs, old, is still there,
// as Pebble may leave it.
func emptied(t *testing.T, n uint64) (dir, old string) {
	t.Helper()
	var all []stored
	for id := uint64(1); id <= n; id++ {
		all = append(all, stored{storage.Job{ID: id, Tube: "mail", State: storage.Ready, TTR: 1, Size: 1, Created: noon}, "x"})
	}
	full, empty := t.TempDir(), t.TempDir()
	fill(t, full, 1, all)
	fill(t, empty, 1, all)
	store := pebblestore.New(pebblestore.Options{Dir: empty, Ballast: -1, Logger: quiet()})
	logs, err := store.Open(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range all {
		logs[0].Delete(&j.Job)
	}
	done := make(acks, 1)
	if !logs[0].Commit(done) {
		err = <-done
	}
	must.Do(t, errors.Join(err, store.Close()))
	dir = copied(t, empty)
	largest := slices.MaxFunc(globbed(t, copied(t, full), "*.sst"), func(a, b string) int { return len(read(t, a)) - len(read(t, b)) })
	old = filepath.Join(dir, "gen-000001", "shard-000", "000900.sst")
	must.Do(t, os.WriteFile(old, []byte(read(t, largest)), 0o600))
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
	if status != 3 || savedJobs(t, stdout) != 100 || !strings.Contains(stdout, "back: 100 of the jobs may have been deleted before") {
		t.Errorf("without manifests: status %d, %s%s", status, stdout, stderr)
	}
}
