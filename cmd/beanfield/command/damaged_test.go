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
	for _, path := range must.Get(filepath.Glob(filepath.Join(data, "gen-*", "*", "*.sst"))) {
		text := must.Get(os.ReadFile(path))
		if at := bytes.Index(text, []byte(largeText(id)[:10_000])); at >= 0 {
			text[at+5000] ^= 1
			must.Do(t, os.WriteFile(path, text, 0o600))
			return
		}
	}
	t.Fatalf("the body of job %d is nowhere", id)
}

// A job whose body cannot be read stops neither an export nor a look at several jobs: the others are there, it is
// named, and the exit code is 1. Nor does it stop a move or a purge, though the server cannot say what is behind it. It
// stays where it is when others are moved, and goes with them when they are purged.
func TestDamagedJobs(t *testing.T) {
	first := startServer(t, "-b", "DIR/data", "-z", "5000000")
	for id := 1; id <= 4; id++ {
		first.typed(largeText(id), "put", "-tube", "t", "-file", "-").want(t, 0, fmt.Sprintln(id), "")
	}
	first.talk("$ put -tube other small\n5")
	must.Do(t, first.Process.Signal(syscall.SIGTERM))
	must.Do(t, first.Wait())
	damageBody(t, first.data(), 2)
	s := startServer(t, "-b", first.data(), "-z", "5000000")
	const named = "job 2 (tube t, buried) is damaged: the server cannot read its body (INTERNAL_ERROR)"
	for _, c := range []struct{ args, jobs, says string }{
		{"export t", "134", "3 of 4 jobs were exported"},
		{"export -all", "134", "4 of 5 jobs were exported"},
		{"peek 1 2 3", "13", ""},
		{"peek 2 4 99", "4", "not found: 99"},
		{"peek -json 2", "", ""},
	} {
		o := s.run(words(c.args)...)
		if o.code != 1 || !strings.Contains(o.stderr, named) || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%q: code %d, %s", c.args, o.code, o.stderr)
		}
		for id := 1; id <= 4; id++ {
			want := strings.Count(c.jobs, fmt.Sprint(id))
			if got := strings.Count(o.stdout, largeText(id)); got != want {
				t.Errorf("%q: job %d is there %d times, want %d", c.args, id, got, want)
			}
		}
	}
	s.talk(`
$ bury 1 3
$ move t to [1 1 jobs stay where they are]
moved 3
$ counts t buried ready
1 0
$ counts to buried ready
2 1
$ move to t
moved 3
$ purge t -state buried -n 2
purged 2
$ purge t
purged 2`)
}
