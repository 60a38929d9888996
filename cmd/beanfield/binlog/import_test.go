package binlog

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// sample is a directory with a bit of everything.
func sample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	data, _ := everything(amd64v7)
	write1(t, dir, "binlog.2", data)
	write1(t, dir, "binlog.5", zeros(100))
	write1(t, dir, "binlog.007", data)
	write1(t, dir, "notes.txt", data)
	return dir
}

func TestDryRunWritesNothing(t *testing.T) {
	from, parent := sample(t), t.TempDir()
	before := fingerprint(t, from)
	status, stdout, stderr := command("-from", from, "-to", filepath.Join(parent, "new"), "-dry-run", "-shards", "3")
	if status != 0 || stderr != "" {
		t.Errorf("status %d: %s", status, stderr)
	}
	for _, want := range []string{
		"4        1       1     6", // ready, delayed, buried, jobs
		"skipped: binlog.5 at 0, 100 bytes: version 0",
		"note: there is no lock file, and none was made",
		"note: binlog.3 to binlog.4 are missing",
		"note: binlog.007 is not a name",
		"the highest id is 900",
		"nothing was written",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
	if entries, err := os.ReadDir(parent); len(entries) > 0 || err != nil {
		t.Errorf("wrote %v, %v", entries, err)
	}
	if fingerprint(t, from) != before {
		t.Error("the source has changed")
	}
}

func TestJSON(t *testing.T) {
	from, to := sample(t), filepath.Join(t.TempDir(), "new")
	status, stdout, stderr := command("-from", from, "-to", to, "-json", "-jobs", "-shards", "3")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var types []string
	var total struct {
		LastID          uint64 `json:"last_id"`
		Jobs, Delayed   int
		Ready, Buried   int
		Shards, Skipped int
		Written         bool
	}
	for l := range strings.Lines(stdout) {
		var v struct{ Type string }
		must.Do(t, json.Unmarshal([]byte(l), &v))
		types = append(types, v.Type)
		if v.Type == "total" {
			must.Do(t, json.Unmarshal([]byte(l), &total))
		}
	}
	if want := strings.Fields("job job job job job job tube skipped note note note total"); !slices.Equal(types, want) {
		t.Errorf("lines %v, want %v", types, want)
	}
	if total.Jobs != 6 || total.Ready != 4 || total.Delayed != 1 || total.Buried != 1 || total.LastID != 900 ||
		total.Shards != 3 || total.Skipped != 1 || !total.Written {
		t.Errorf("total %+v", total)
	}
	if !strings.Contains(stdout,
		`{"type":"job","id":4,"tube":"mail","state":"buried","pri":7,"delay":0,"ttr":60,"size":13,`) {
		t.Errorf("job 4 is not listed:\n%s", stdout)
	}
	if jobs, maxID := replay(t, to, 3); len(jobs) != 6 || maxID != 900 {
		t.Errorf("%d jobs, highest id %d", len(jobs), maxID)
	}
}

func TestRefused(t *testing.T) {
	from, full := sample(t), t.TempDir()
	write1(t, full, "something", nil)
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(from, link))
	locked := filepath.Join(t.TempDir(), "copy")
	must.Do(t, os.CopyFS(locked, os.DirFS(from)))
	write1(t, locked, "lock", nil)
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"", 2, "-from is missing"},
		{"-from " + from, 2, "-to is missing"},
		{"-from " + from + " -to x y", 2, `what is "y"?`},
		{"-from " + from + " -nonsense", 2, "nonsense"},
		{"-from " + full + " -dry-run", 1, "has no binlog"},
		{"-from " + full + "/nowhere -dry-run", 1, "no such file"},
		{"-from " + from + " -to " + full, 1, "holds something"},
		{"-from " + from + " -to " + from, 1, "binlog.2 is a binlog of beanstalkd"},
		{"-from " + from + " -to " + from + "/new", 1, "is inside"},
		{"-from " + from + " -to " + link + "/new/deep", 1, "is inside"},
		{"-from " + from + " -to " + full + "/new -shards 255", 1, "255 shards"},
		{"-from " + locked + " -dry-run", 0, ""},
	} {
		status, _, stderr := command(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, %q; want %d, %q", c.args, status, stderr, c.status, c.says)
		}
	}
	if _, err := os.Stat(filepath.Join(from, "lock")); err == nil {
		t.Error("a lock file was made")
	}
}

// If there are unreadable files nothing is written, unless the user insists and other
// files are left.
func TestUnreadableFiles(t *testing.T) {
	data, _ := everything(amd64v7)
	foreign := machine{8, 8, 8}.file(full(2000, "x"), full(2001, "y"))
	missaid := amd64v7.file(full(1<<53, "x"), full(1<<53, "y")) // every record has a flaw
	behind := append(zeros(5000), foreign...)
	for _, c := range []struct {
		name   string
		files  [][]byte
		args   string
		status int
		says   []string // on stdout or stderr
	}{
		{"all foreign", [][]byte{foreign, foreign}, "", 1, []string{"unreadable: binlog.1, ", "unreadable: binlog.2, ",
			"unknown version 8", "no file that can be read"}},
		{"all foreign, insisted", [][]byte{foreign, foreign}, "-skip-unreadable", 1,
			[]string{"no file that can be read"}},
		{"one foreign", [][]byte{data, foreign}, "", 1, []string{"unreadable: binlog.2, ",
			"1 of 2 files cannot be read: -skip-unreadable", "nothing was written\n"}},
		{"one foreign, tried", [][]byte{data, foreign}, "-dry-run", 1, []string{"1 of 2 files cannot be read",
			"this was a dry run"}},
		{"one foreign, insisted", [][]byte{data, foreign}, "-skip-unreadable", 0, []string{"unreadable: binlog.2, ",
			"of 1 files in", "imported 6 jobs"}},
		{"version 6", [][]byte{data, machine{6, 8, 8}.file(full(1, "x"))}, "", 1, []string{"unknown version 6"}},
		{"zeros before data", [][]byte{data, behind}, "", 1, []string{"version 0, but data after it"}},
		{"nothing sound", [][]byte{data, missaid}, "", 1, []string{"unreadable: binlog.2, ", "impossible id"}},
		{"a first record that is torn", [][]byte{data, amd64v7.file(full(1, "xyz"))[:60]}, "", 1,
			[]string{"the file ends within a record"}},
		{"never written to", [][]byte{data, zeros(4096), nil}, "", 0, []string{"imported 6 jobs",
			"skipped: binlog.2 at 0", "skipped: binlog.3 at 0"}},
		{"none written to", [][]byte{zeros(4096), nil}, "", 1, []string{"nothing was ever written"}},
		{"no jobs", [][]byte{append(amd64v7.file(), zeros(4096)...)}, "", 0, []string{"imported 0 jobs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := binlogs(t, c.files...), filepath.Join(t.TempDir(), "new")
			status, stdout, stderr := command(append(strings.Fields(c.args), "-from", from, "-to", to)...)
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(stdout+stderr, want) {
					t.Errorf("it does not say %q:\n%s%s", want, stdout, stderr)
				}
			}
			if _, err := os.Stat(to); (err == nil) != (status == 0) {
				t.Errorf("the new directory: %v", err)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	var told []string
	o := Import{From: sample(t), To: filepath.Join(t.TempDir(), "new"), Shards: 1,
		Progress: func(done, total int) { told = append(told, fmt.Sprintf("%d/%d", done, total)) }}
	must.Do(t, o.Run(io.Discard, quiet()))
	if want := "1/6 2/6 3/6 4/6 5/6 6/6"; strings.Join(told, " ") != want {
		t.Errorf("told %q, want %s", told, want)
	}
}
