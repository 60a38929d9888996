package pebblestore

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// What is not ours is refused, and left as it was.
func TestForeignDirectories(t *testing.T) {
	noShards := string(must.Get(format.Manifest{Generation: 1}.Encode()))
	for _, c := range []struct {
		name  string
		files map[string]string
		kind  error
		text  string
	}{
		{"beanstalkd's", map[string]string{"lock": "", "binlog.12": "\x07"}, directory.ErrForeign, "beanfield import"},
		{"somebody's", map[string]string{"thesis.tex": "x"}, directory.ErrForeign, "thesis.tex"},
		{"many files", map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""}, directory.ErrForeign, "2 more"},
		{"no manifest", map[string]string{"gen-000001": "", directory.HistoryName: "x", directory.HistoryTemp: ""},
			storage.ErrCorrupt, directory.ManifestName},
		{"older format", map[string]string{directory.ManifestName: `{"format":2,"generation":1,"shards":1}`},
			format.ErrVersion, "format 2"},
		{"newer format", map[string]string{directory.ManifestName: `{"format":5,"generation":1,"shards":1}`},
			format.ErrVersion, "format 5"},
		{"damaged manifest", map[string]string{directory.ManifestName: `{"format":1,`}, storage.ErrCorrupt,
			directory.ManifestName},
		{"empty manifest", map[string]string{directory.ManifestName: ``}, storage.ErrCorrupt, directory.ManifestName},
		{"no checksum", map[string]string{directory.ManifestName: `{"format":3,"generation":1,"shards":1,"rule":2}`},
			storage.ErrCorrupt, "no checksum"},
		{"no shards", map[string]string{directory.ManifestName: noShards}, storage.ErrCorrupt, "0 shards"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			must.Do(t, fs.MkdirAll("data", 0o755))
			for name, text := range c.files {
				disktest.Write(t, fs, "data/"+name, text)
			}
			before := fs.String()
			_, err := noTicks(small(fs, storage.Always)).Open(1, byName(1))
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error is %v", err)
			}
			if after := fs.String(); after != before {
				t.Errorf("the directory was changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// tryDir names the directory that TestTryToOpen opens, in a process of its own.
const tryDir = "STORAGE_TEST_TRY"

// TestTryToOpen is not a test: it is the second process of the next one.
func TestTryToOpen(t *testing.T) {
	dir := os.Getenv(tryDir)
	if dir == "" {
		t.Skip("only as another test's child")
	}
	_, err := New(Options{Dir: dir, Logger: quiet(), Ballast: -1}).Open(2, byName(2))
	fmt.Println("in use:", errors.Is(err, directory.ErrInUse), err)
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir() + "/new"
	o := Options{Dir: dir, Logger: quiet(), Ballast: mib}
	s := New(o)
	mustOpen(t, s, 2)
	// Not by another process: but refused all the same.
	if _, err := New(o).Open(2, byName(2)); err == nil || errors.Is(err, directory.ErrInUse) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("second open: %v", err)
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestTryToOpen$")
	child.Env = append(os.Environ(), tryDir+"="+dir)
	said, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "in use: true storage: data directory "+dir+
		": in use by another process") {
		t.Errorf("the second process says %s, %v", said, err)
	}
	must.Do(t, s.Close())
	s = New(o)
	mustOpen(t, s, 2)
	must.Do(t, s.Close())
	if _, err := os.Stat(dir + "/" + directory.BallastName); !directory.Missing(err) {
		t.Errorf("the ballast is still there: %v", err)
	}
}

// Locking can fail for other reasons than another process's lock, and then does not
// prove that there is one.
func TestALockThatFails(t *testing.T) {
	for _, why := range []syscall.Errno{syscall.EROFS, syscall.EACCES, syscall.ENOLCK, syscall.EIO, syscall.EAGAIN} {
		mem := vfs.NewMem()
		fs := faulty(mem, func(op errorfs.Op) error {
			if op.Kind == errorfs.OpLock && op.Path == "data/"+directory.LockName {
				return &os.PathError{Op: "lock", Path: op.Path, Err: why}
			}
			return nil
		})
		_, err := noTicks(small(fs, storage.Always)).Open(1, byName(1))
		inUse := why == syscall.EAGAIN
		if errors.Is(err, directory.ErrInUse) != inUse || !inUse && !errors.Is(err, why) ||
			!strings.Contains(err.Error(), "data directory data") {
			t.Errorf("%v: %v", why, err)
		}
	}
}
