package datadir

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/format"
)

func TestText(t *testing.T) {
	for _, shards := range []int{1, 3, 64} {
		dir := t.TempDir()
		fill(t, dir, shards, jobs())
		at := router.ShardOf("mail", shards)
		want := fmt.Sprintf(`1 mail ready pri 7 delay 0 ttr 60 size 5 created 2023-11-14T22:13:20.000Z reserves 0 timeouts 0 releases 0 buries 0 kicks 0 shard %[1]d "hello"
2 mail delayed pri 8 delay 90 ttr 61 size 0 created 2023-11-14T22:13:21.500Z ready-at 2023-11-14T22:14:50.000Z reserves 5 timeouts 4 releases 3 buries 2 kicks 1 shard %[1]d ""
4 mail buried pri 0 delay 0 ttr 1 size 1 created 2023-11-14T22:13:20.000Z bury-rank 1 reserves 0 timeouts 0 releases 0 buries 1 kicks 0 shard %[1]d "\xc3"
3 mail buried pri 9 delay 0 ttr 62 size 4 created 2023-11-14T22:13:20.000Z bury-rank 2 reserves 0 timeouts 0 releases 0 buries 1 kicks 0 shard %[1]d "a\x00\xff\n"
  ready  delayed  buried  jobs  bytes  tube
      1        1       2     4     10  mail
      1        1       2     4     10  (all)
shards %[2]d, highest id 5000
`, at, shards)
		for range 2 { // the first one has changed nothing
			status, stdout, stderr := command("-bodies", dir)
			if status != 0 || stderr != "" || stdout != want {
				t.Errorf("%d shards: status %d %s\n got %s\nwant %s", shards, status, stderr, stdout, want)
			}
		}
		_, stdout, _ := command("-summary", dir)
		if lines := strings.SplitAfter(want, "\n"); stdout != strings.Join(lines[4:], "") {
			t.Errorf("the summary is\n%s", stdout)
		}
		_, stdout, _ = command(dir)
		if strings.Contains(stdout, "hello") || strings.Count(stdout, "\n") != 8 {
			t.Errorf("without bodies:\n%s", stdout)
		}
	}
}

func TestJSON(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1, jobs())
	status, stdout, stderr := command("-json", "-bodies", dir)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var all []map[string]any
	for l := range strings.Lines(stdout) {
		var v map[string]any
		must.Do(t, json.Unmarshal([]byte(l), &v))
		all = append(all, v)
	}
	for i, want := range []map[string]any{
		{"type": "job", "id": 1.0, "tube": "mail", "state": "ready", "body": "hello", "pri": 7.0, "ttr": 60.0,
			"size":    5.0,
			"created": "2023-11-14T22:13:20.000Z", "shard": 0.0, "ready_at": nil, "bury_rank": nil},
		{"id": 2.0, "state": "delayed", "body": "", "delay": 90.0, "ready_at": "2023-11-14T22:14:50.000Z",
			"reserves": 5.0, "timeouts": 4.0, "releases": 3.0, "buries": 2.0, "kicks": 1.0},
		{"id": 4.0, "state": "buried", "body": nil, "body_base64": "ww==", "bury_rank": 1.0},
		{"id": 3.0, "state": "buried", "body_base64": "YQD/Cg==", "bury_rank": 2.0},
		{"type": "tube", "tube": "mail", "ready": 1.0, "delayed": 1.0, "buried": 2.0, "jobs": 4.0, "bytes": 10.0},
		{"type": "total", "shards": 1.0, "last_id": 5000.0, "jobs": 4.0, "bytes": 10.0, "tube": nil},
	} {
		for key, value := range want {
			if i >= len(all) || all[i][key] != value {
				t.Errorf("line %d: %s is not %v in\n%s", i, key, value, stdout)
			}
		}
	}
	if len(all) != 6 {
		t.Errorf("%d lines, want 6", len(all))
	}
}

func TestRefused(t *testing.T) {
	empty, data, creating := t.TempDir(), t.TempDir(), t.TempDir()
	fill(t, data, 1, nil)
	must.Do(t, os.WriteFile(filepath.Join(creating, manifestName), must.Get(format.Manifest{Generation: 1, Shards: 1,
		Creating: true}.Encode()), 0o600))
	newer := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(newer, manifestName), []byte(`{"format":99,"generation":1,"shards":1}`),
		0o600))
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, 2, "one directory"},
		{[]string{data, data}, 2, "one directory"},
		{[]string{"-nonsense", data}, 2, "nonsense"},
		{[]string{"-salvage", "x", "-json", data}, 2, "other flags"},
		{[]string{empty}, 1, "not a data directory"},
		{[]string{filepath.Join(empty, "nowhere")}, 1, "no such file"},
		{[]string{creating}, 1, "never finished"},
		{[]string{newer}, 1, "format 99"},
		{[]string{"-salvage", empty, data}, 1, "exists"},
		{[]string{"-salvage", filepath.Join(empty, "new"), filepath.Join(empty, "nowhere")}, 1, "no such file"},
		{[]string{"-salvage", filepath.Join(t.TempDir(), "new"), empty}, 1, "not a data directory"},
	} {
		status, _, stderr := command(c.args...)
		if status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: status %d, %q; want %d, %q", c.args, status, stderr, c.status, c.says)
		}
	}
	if left, err := os.ReadDir(empty); len(left) > 0 || err != nil {
		t.Errorf("an empty directory now holds %v, %v", left, err)
	}
}

// holding is the variable that names the directory which TestHold opens, in a process
// of its own.
const holding = "DUMP_TEST_HOLD"

// TestHold is not a test: it is the server of TestInUse.
func TestHold(t *testing.T) {
	dir := os.Getenv(holding)
	if dir == "" {
		t.Skip("only as another test's child")
	}
	opened(t, dir, 1)
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestInUse(t *testing.T) {
	dir, fresh := t.TempDir(), filepath.Join(t.TempDir(), "new")
	fill(t, dir, 1, jobs())
	child := exec.Command(os.Args[0], "-test.run", "^TestHold$")
	child.Env = append(os.Environ(), holding+"="+dir)
	in := must.Get(child.StdinPipe())
	out := must.Get(child.StdoutPipe())
	must.Do(t, child.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	for _, args := range [][]string{{dir}, {"-salvage", fresh, dir}} {
		if status, _, stderr := command(args...); status != 1 || !strings.Contains(stderr, "in use by") {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = child.Wait()
	for _, args := range [][]string{{dir}, {"-salvage", fresh, dir}} {
		if status, _, stderr := command(args...); status != 0 {
			t.Errorf("%q, the server being gone: status %d, %s", args, status, stderr)
		}
	}
}

// A job whose body is apart from its record, and damaged, is listed like any other; in
// place of the body stands that it cannot be read.
func TestDamagedBody(t *testing.T) {
	dir := t.TempDir()
	hurt := stored{storage.Job{ID: 5, Tube: "mail", State: storage.Ready, Size: 2 * storage.LargeBody, Created: noon},
		strings.Repeat("12345678", storage.LargeBody/4)}
	fill(t, dir, 1, append(jobs(), hurt))
	damaged(t, dir)
	for _, x := range []struct{ flag, hurt, whole string }{
		{"-json=false", " shard 0 (the body cannot be read)\n", ` shard 0 "hello"` + "\n"},
		{"-json", `"shard":0,"body_damaged":true}` + "\n", `"shard":0,"body":"hello"}` + "\n"},
	} {
		status, stdout, stderr := command(x.flag, "-bodies", dir)
		if status != 0 || strings.Count(stdout, x.hurt) != 1 || strings.Count(stdout, x.whole) != 1 {
			t.Errorf("%s: status %d, %s\n%s", x.flag, status, stderr, stdout)
		}
	}
}

// A table with a bad block: a dump says no and what to do, a salvage saves the
// rest and leaves the source alone.
func TestSalvage(t *testing.T) {
	dir, fresh := t.TempDir(), filepath.Join(t.TempDir(), "new")
	many := some(3000, func(id uint64) string { return strings.Repeat(fmt.Sprint(id), 50) })
	fill(t, dir, 1, many)
	dir = copied(t, dir)
	table := damaged(t, dir)
	// On a copy: a damaged database is given up, not closed, so in this process
	// it may go on to compact its files while the salvage is watched.
	spare := filepath.Join(t.TempDir(), "copy")
	must.Do(t, os.CopyFS(spare, os.DirFS(dir)))
	status, _, stderr := command("-summary", spare)
	if status != 1 || !strings.Contains(stderr, "-salvage NEW_DIR") {
		t.Errorf("a damaged directory: status %d, %s", status, stderr)
	}
	before := snapshot(t, dir)
	status, stdout, stderr := command("-salvage", fresh, dir)
	if status != 3 || !strings.Contains(stdout, "damaged: "+table) {
		t.Fatalf("salvage: status %d, %s%s", status, stdout, stderr)
	}
	sameSnapshot(t, "salvage", snapshot(t, dir), before)
	saved := savedJobs(t, stdout)
	if saved >= len(many) || saved < len(many)*3/4 {
		t.Errorf("%d of %d jobs were saved", saved, len(many))
	}
	if want := fmt.Sprintf("unknown: %d ids ", len(many)-saved); !strings.Contains(stdout, want) {
		t.Errorf("it does not say %q:\n%s", want, stdout)
	}
	if found := wholeJobs(t, fresh, many); found != saved {
		t.Errorf("%d jobs in the new directory, want %d", found, saved)
	}
	// That of a deleted job.
	if _, summary, _ := command("-summary", fresh); !strings.Contains(summary, "highest id 5000\n") {
		t.Errorf("the highest id is not carried over:\n%s", summary)
	}
}

// savedJobs is how many jobs a salvage says that it has copied.
func savedJobs(t *testing.T, stdout string) (saved int) {
	t.Helper()
	must.Get(fmt.Sscanf(stdout[strings.LastIndex(stdout, "copied"):], "copied %d jobs", &saved))
	return saved
}

// wholeJobs counts the jobs of a directory whose bodies are right.
func wholeJobs(t *testing.T, dir string, want []stored) (found int) {
	t.Helper()
	_, stdout, _ := command("-json", "-bodies", dir)
	for l := range strings.Lines(stdout) {
		var v struct {
			Type, Body string
			ID         int
		}
		must.Do(t, json.Unmarshal([]byte(l), &v))
		if v.Type != "job" {
			continue
		}
		found++
		if v.Body != want[v.ID-1].body {
			t.Errorf("job %d has body %.20q", v.ID, v.Body)
		}
	}
	return found
}

// A salvage tells how far it is.
func TestSalvageTellsItsProgress(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1, some(3, small))
	var told []int
	o := Dump{Dir: dir, Salvage: filepath.Join(t.TempDir(), "new"), Progress: func(n int) { told = append(told, n) }}
	must.Do(t, o.Run(io.Discard, slog.New(slog.DiscardHandler)))
	if !slices.Equal(told, []int{1, 2, 3}) {
		t.Errorf("told %v", told)
	}
}
