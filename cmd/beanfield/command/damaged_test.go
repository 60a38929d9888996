package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// largeText is a body that is stored apart from its job, in pieces.
func largeText(id int) string { return strings.Repeat(fmt.Sprintf("body of %d. ", id), 200_000) }

// damageBody changes a byte in the middle of the body of a job that is in no log.
func damageBody(t *testing.T, data string, id int) {
	t.Helper()
	tables := must.Get(filepath.Glob(filepath.Join(data, "gen-*", "*", "*.sst")))
	for _, path := range tables {
		text := must.Get(os.ReadFile(path))
		if at := bytes.Index(text, []byte(largeText(id)[:10_000])); at >= 0 {
			text[at+5000] ^= 1
			must.Do(t, os.WriteFile(path, text, 0o600))
			return
		}
	}
	t.Fatalf("the body of job %d is nowhere", id)
}

// serverWithDamage has jobs 1 to 4 in tube t, of which 2 is damaged, and job 5 in tube other.
func serverWithDamage(t *testing.T) *daemon {
	t.Helper()
	flags := []string{"-b", "DIR/data", "-z", "5000000"}
	first := startServer(t, beanfield(t), flags...)
	for id := 1; id <= 4; id++ {
		first.typed(largeText(id), "put", "-tube", "t", "-file", "-").want(t, 0, fmt.Sprintln(id), "")
	}
	first.run("put", "-tube", "other", "small").want(t, 0, "5\n", "")
	must.Do(t, first.Process.Signal(syscall.SIGTERM))
	must.Do(t, first.Wait())
	data := filepath.Join(first.dir, "data")
	damageBody(t, data, 2)
	return startServer(t, beanfield(t), "-b", data, "-z", "5000000")
}

const saysDamaged = "job 2 (tube t, buried) is damaged: the server cannot read its body (INTERNAL_ERROR)"

// A job whose body cannot be read stops neither an export nor a look at several jobs: the
// others are there, it is named, and the exit code is 1.
func TestDamagedJobsAreNamed(t *testing.T) {
	s := serverWithDamage(t)
	for _, c := range []struct {
		args []string
		jobs []int
		says string
	}{
		{[]string{"export", "t"}, []int{1, 3, 4}, "3 of 4 jobs were exported"},
		{[]string{"export", "-all"}, []int{1, 3, 4}, "4 of 5 jobs were exported"},
		{[]string{"peek", "1", "2", "3"}, []int{1, 3}, ""},
		{[]string{"peek", "2", "4", "99"}, []int{4}, "not found: 99"},
		{[]string{"peek", "-json", "2"}, nil, ""},
	} {
		o := s.run(c.args...)
		if o.code != 1 || !strings.Contains(o.stderr, saysDamaged) || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%q: code %d, %s", c.args, o.code, o.stderr)
		}
		for id := 1; id <= 4; id++ {
			want := 0
			for _, n := range c.jobs {
				if n == id {
					want = 1
				}
			}
			if got := strings.Count(o.stdout, largeText(id)); got != want {
				t.Errorf("%q: job %d is there %d times, want %d", c.args, id, got, want)
			}
		}
	}
}

// Nor does it stop a move or a purge, though the server cannot say what is behind it. It stays
// where it is when others are moved, and goes with them when they are purged.
func TestDamagedJobsStay(t *testing.T) {
	s := serverWithDamage(t)
	for _, id := range []string{"1", "3"} {
		s.run("bury", id).want(t, 0, "", "")
	}
	o := s.run("move", "t", "to")
	if o.code != 1 || o.stdout != "moved 3\n" || !strings.Contains(o.stderr, "1 jobs stay where they are") {
		t.Errorf("move: %+v", o)
	}
	for _, c := range []struct{ tube, state, want string }{
		{"t", "buried", "1"}, {"t", "ready", "0"}, {"to", "buried", "2"}, {"to", "ready", "1"},
	} {
		s.wantCount(c.tube, "current-jobs-"+c.state, c.want)
	}
	s.run("purge", "t").want(t, 0, "purged 1\n", "")
	s.run("purge", "to").want(t, 0, "purged 3\n", "")
}
