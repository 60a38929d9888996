package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// Where each setting of the store comes from if flags and file disagree.
func TestStoragePrecedence(t *testing.T) {
	const file = "storage.backend = 'memory'\nstorage.path = '/file'\nstorage.sync = 'never'\nstorage.sync_interval " +
		"= '7ms'\n"
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
		{"-f 20 -F", "storage.sync = 'interval'\nstorage.sync_interval = '7ms'\n", "storage.sync_interval", `"7ms"`,
			"FILE:2"},
		{"-F -f 20", file, "storage.sync", `"interval"`, "flag -f"},
	})
}

// What is printed says where a setting comes from, and when it counts.
func TestCheckConfigExplains(t *testing.T) {
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
		{"-z 10 -s 4096", "[stats]\n\nquote_strings = true\n", []string{
			`{ address = ":11300", mode = "", group = "", login = false, refuse_http = true, cert = "", key = "", ` +
				`client_ca = "", client_auth = "", min_tls = "" }, # default`,
			"limits.max_job_size = 10 # flag -z",
			`stats.quote_strings = "always" # FILE:3`,
			"# binlog-max-size in stats: 4096 # flag -s",
		}},
	} {
		f := flagsAnd(t, c.args, c.file+" ")
		text := strings.Join(strings.Fields(printed(t, must.Get(Load(f)))), " ")
		text = strings.ReplaceAll(text, f.File, "FILE")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q: %q is missing in %s", c.args, want, text)
			}
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
		if got := c.BackupPath(); got != x[2] {
			t.Errorf("%q with %q: %q, want %q", x[0], x[1], got, x[2])
		}
	}
}
