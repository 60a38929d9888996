package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// Where each setting of the store comes from if flags and file disagree.
func TestStoragePrecedence(t *testing.T) {
	const file = "storage.backend = 'memory'\nstorage.path = '/file'\nstorage.sync = 'never'\nstorage.sync_interval = '7ms'\n"
	checkWins(t, []wins{
		{"", "", "storage.backend", `"memory"`, "default"},
		{"", "", "storage.path", `""`, "default"},
		{"", "", "storage.sync", `"always"`, "default"},
		{"", "", "storage.sync_interval", `"50ms"`, "default"},
		{"", "", "storage.memory_budget", "0", "default"},
		{"", "", "storage.min_free", `"256MiB"`, "default"},
		{"", "", "storage.cache", `"32MiB"`, "default"},
		{"", "", "storage.log_size", `"64MiB"`, "default"},
		{"", "", "storage.backup_path", `""`, "default"},
		{"", file, "storage.backend", `"memory"`, "FILE:1"},
		{"", file, "storage.path", `"/file"`, "FILE:2"},
		{"", file, "storage.sync", `"never"`, "FILE:3"},
		{"", file, "storage.sync_interval", `"7ms"`, "FILE:4"},
		{"-b /", file, "storage.backend", `"pebble"`, "flag -b"},
		{"-b /", file, "storage.path", `"/"`, "flag -b"},
		{"-b /", file, "storage.sync", `"never"`, "FILE:3"},
		{"-f 20", file, "storage.sync", `"interval"`, "flag -f"},
		{"-f 20", file, "storage.sync_interval", `"20ms"`, "flag -f"},
		{"-f 20", file, "storage.backend", `"memory"`, "FILE:1"},
		{"-f 0", file, "storage.sync", `"always"`, "flag -f"},
		{"-f 0", file, "storage.sync_interval", `"7ms"`, "FILE:4"},
		{"-F", "", "storage.sync", `"never"`, "flag -F"},
		{"-f 20 -F", file, "storage.sync", `"never"`, "flag -F"},
		{"-f 20 -F", file, "storage.sync_interval", `"7ms"`, "FILE:4"},
		{"-F -f 20", file, "storage.sync", `"interval"`, "flag -f"},
	})
}

func TestCheckConfigExplainsStorage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args, file string
		want       []string
	}{
		{"", "", []string{
			`storage.backend = "memory" # default storage.path = "" # default; used with backend "pebble"`,
			`storage.backup_path = "" # default; used with backend "pebble"`,
		}},
		{"-b " + dir, "", []string{
			`storage.backend = "pebble" # flag -b`, `storage.path = "` + dir + `" # flag -b`,
			`storage.sync = "always" # default storage.sync_interval = "50ms" # default; used with sync "interval"`,
			`storage.memory_budget = 0 # default; no limit`,
			`storage.backup_path = "" # default; ` + dir + `-backups`,
		}},
		{"-f 9 -b " + dir, "[storage]\nbackup_path = '/b'\n", []string{
			`storage.sync = "interval" # flag -f storage.sync_interval = "9ms" # flag -f storage.memory`,
			`storage.backup_path = "/b" # FILE:2 stats`,
		}},
	} {
		got := must.Get(load(t, c.args, c.file))
		var b bytes.Buffer
		must.Do(t, printConfig(&b, got))
		text := strings.Join(strings.Fields(b.String()), " ")
		if o := got.from["storage.backup_path"]; o.file != "" {
			text = strings.ReplaceAll(text, o.file, "FILE")
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q: %q is missing in %s", c.args, want, text)
			}
		}
	}
}

// Every setting reaches the store, and zero means zero there.
func TestPebbleOptions(t *testing.T) {
	c := defaults()
	c.Storage.Path, c.Storage.Cache, c.Storage.Log = "/data", 5<<20, 6<<20
	for _, s := range []struct {
		word string
		want storage.SyncMode
	}{{"always", storage.Always}, {"interval", storage.Interval}, {"never", storage.Never}} {
		c.Storage.Sync, c.Storage.SyncInterval = s.word, 7*time.Millisecond
		o := pebbleOptions(c, nil)
		if o.Dir != "/data" || o.Sync != s.want || o.SyncEvery != 7*time.Millisecond || o.CacheBytes != 5<<20 || o.LogBytes != 6<<20 || o.MinFree != 256<<20 || o.Fatal == nil {
			t.Errorf("%s: %+v", s.word, o)
		}
	}
	c.Storage.MinFree = 0
	if o := pebbleOptions(c, nil); o.MinFree >= 0 {
		t.Errorf("no limit is given as %d, which storage takes for its default", o.MinFree)
	}
}

// A budget must never make the memory store drop bodies; and a small budget, shared
// out among the shards, must not become 0, which means no limit.
func TestMemoryBudget(t *testing.T) {
	for _, x := range []struct {
		backend string
		budget  int64
		want    int64
	}{{"memory", 5, 0}, {"memory", 0, 0}, {"pebble", 0, 0}, {"pebble", 1, 8}, {"pebble", 8, 8}, {"pebble", 1 << 30, 1 << 30}} {
		c := defaults()
		c.Shards, c.Storage.Backend, c.Storage.MemoryBudget = 8, x.backend, x.budget
		if got := memoryBudget(c); got != x.want {
			t.Errorf("%s with %d: %d, want %d", x.backend, x.budget, got, x.want)
		}
	}
}

func TestBackupPath(t *testing.T) {
	wd := must.Get(os.Getwd())
	for _, x := range [][3]string{
		{"/data", "", "/data-backups"}, {"/data/", "", "/data-backups"}, {"/data", "/b", "/b"},
		{".", "", wd + "-backups"}, {"x", "", filepath.Join(wd, "x-backups")},
	} {
		c := defaults()
		c.Storage.Path, c.Storage.BackupPath = x[0], x[1]
		if got := c.backupPath(); got != x[2] {
			t.Errorf("%q with %q: %q, want %q", x[0], x[1], got, x[2])
		}
	}
}

func TestStoreErrors(t *testing.T) {
	for err, want := range map[error]int{
		pebblestore.ErrInUse: exitStorage, pebblestore.ErrForeign: exitStorage,
		storage.ErrCorrupt: exitFailed, pebblestore.ErrVersion: exitFailed, storage.ErrNoSpace: exitFailed,
		errors.New("other"): exitFailed, nil: exitOK,
	} {
		if err != nil {
			err = fmt.Errorf("storage: open: %w", err)
		}
		if got := exitCode(storeError(err)); got != want {
			t.Errorf("%v ends with %d, want %d", err, got, want)
		}
		if got := exitCode(nodeError(err)); got != want && !errors.Is(err, pebblestore.ErrVersion) {
			t.Errorf("%v of a node ends with %d, want %d", err, got, want)
		}
	}
	for _, err := range []error{cluster.ErrRefused, pebblestore.ErrVersion} { // no restart mends these
		if got := exitCode(nodeError(fmt.Errorf("x: %w", err))); got != exitStorage {
			t.Errorf("a node that ends with %v has the code %d", err, got)
		}
	}
}
