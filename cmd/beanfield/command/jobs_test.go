package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// U1: as all tests on each server, also with beanstalkd.
func TestPutAndReserve(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "mail", "one", "-pri", "5", "--", "-two").want(t, 0, "1\n2\n", "")
		s.run("put", "-tube", "mail", "-json", "-delay", "100", "").want(t, 0, "{\"id\":3}\n", "")
		s.run("put", "-tube", "mail", "-quiet", "-pri", "0", "zero").want(t, 0, "", "")
		s.run("peek", "2", "1").want(t, 0, "-two\none\n", "")
		s.run("peek", "2", "-raw").want(t, 0, "-two", "")
		s.run("peek", "2", "99", "1").want(t, 3, "-two\none\n", "not found: 99")
		s.run("peek", "-tube", "mail").want(t, 0, "zero\n", "")
		s.run("peek", "-tube", "mail", "-state", "delayed").want(t, 0, "\n", "")
		s.run("peek", "-tube", "mail", "-state", "buried").want(t, 3, "", "there is no buried job in tube mail")
		s.run("peek", "3", "-json").want(t, 0,
			`{"tube":"mail","id":3,"pri":1024,"delay":99,"ttr":60,"state":"delayed","body":""}`+"\n", "")
		s.run("reserve", "-tube", "mail", "-n", "2").want(t, 0, "zero\none\n", "")
		s.run("reserve", "-tube", "mail", "-then", "delete").want(t, 0, "zero\n", "")
		s.run("reserve", "-tube", "mail", "-then", "bury").want(t, 0, "one\n", "")
		s.wantCount("mail", "current-jobs-buried", "1")
		s.run("stats", "-job", "1", "-json").has(t, 0, `"pri":5,`)
		s.run("reserve", "-tube", "mail", "-tube", "other", "-then", "delete", "-n", "2").want(t, 3, "-two\n",
			"no job within 0s; 1 were there")
		s.run("reserve").want(t, 3, "", "no job")
		begun := time.Now()
		s.run("reserve", "-timeout", "900ms").want(t, 3, "", "no job within 900ms")
		if time.Since(begun) < 900*time.Millisecond {
			t.Error("it did not wait")
		}
		s.run("delete", "4", "3", "1", "77").want(t, 3, "", "not found: 4, 77")
		s.vanishes("mail")
		s.run("stats", "-tube", "mail").want(t, 3, "", "there is no tube mail")
	})
}

// has checks the code and that a part stands in the output.
func (o outcome) has(t *testing.T, code int, part string) {
	t.Helper()
	if o.code != code || !strings.Contains(o.stdout, part) {
		t.Errorf("%+v, want code %d and %q", o, code, part)
	}
}

// Bodies go in and out byte for byte.
func TestBinaryBodies(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		file := filepath.Join(t.TempDir(), "body")
		must.Do(t, os.WriteFile(file, all, 0o600))
		s.run("put", "-file", file).want(t, 0, "1\n", "")
		s.typed("a\r\nb\n", "put", "-file", "-").want(t, 0, "2\n", "")
		s.run("peek", "-raw", "1").want(t, 0, string(all), "")
		s.run("peek", "-raw", "2").want(t, 0, "a\r\nb\n", "")
		var j job
		if err := json.Unmarshal([]byte(s.run("peek", "-json", "1").stdout), &j); err != nil ||
			string(j.body()) != string(all) || j.Text != nil {
			t.Errorf("%+v, %v", j, err)
		}
		s.run("reserve", "-raw", "-then", "delete").want(t, 0, string(all), "")
	})
}

func TestPutLines(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.typed("a\n\nb \r\nc", "put", "-lines").want(t, 0, "1\n2\n3\n4\n", "")
		s.run("reserve", "-n", "4", "-raw", "-then", "delete").want(t, 0, "ab \rc", "")
		const many = 100_000
		var lines, numbers strings.Builder
		for i := range many {
			fmt.Fprintf(&lines, "line %d\n", i)
			fmt.Fprintln(&numbers, i+5)
		}
		begun := time.Now()
		s.typed(lines.String(), "put", "-lines", "-tube", "big").want(t, 0, numbers.String(), "")
		t.Logf("%d lines in %v", many, time.Since(begun))
		s.wantCount("big", "current-jobs-ready", fmt.Sprint(many))
		s.run("peek", fmt.Sprint(many+4)).want(t, 0, fmt.Sprintf("line %d\n", many-1), "")
		s.run("purge", "big", "-n", "1000").want(t, 0, "purged 1000\n", "")
	})
}

// What the server refuses is said, and the rest is put.
func TestPutRefused(t *testing.T) {
	s := startServer(t, beanfield(t), "-z", "5")
	s.typed("a\ntoo long\nb\nas long as this\n", "put", "-lines").want(t, 1, "1\n2\n",
		"job 2: the job is larger than the server allows: JOB_TOO_BIG\njob 4: ")
	s.run("put", "longer").want(t, 1, "", "1 of 1 jobs were not put")
	s.drains()
	o := s.typed(strings.Repeat("a\n", 10_000), "put", "-lines")
	o.want(t, 1, "", "the server takes no new jobs: DRAINING; 0 jobs were put")
	if n := strings.Count(o.stderr, "\n"); n > reported+2 {
		t.Errorf("%d lines of complaints:\n%s", n, o.stderr)
	}
}

func TestTubeNames(t *testing.T) {
	for _, name := range []string{"a", "A-z0+/;.$_()", "0", strings.Repeat("x", 200)} {
		if !isTube(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", "-a", "a b", "a\r\n", "aéb", "a!b", "a\x00", strings.Repeat("x", 201)} {
		if isTube(name) {
			t.Errorf("%q is taken for a tube", name)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{
		{"put"}, {"put", "-lines", "x"}, {"put", "x", "-tube", "a b"}, {"put", "x", "-tube", "-a"},
		{"put", "x", "-pri", "-1"},
		{"put", "x", "-tube", "a\r\ndelete 1"}, {"put", "x", "-nonsense"},
		{"reserve", "x y"}, {"reserve", "-then", "eat"}, {"reserve", "-n", "0"}, {"reserve", "-tube", ""},
		{"peek"}, {"peek", "x", "y"}, {"peek", "-1"}, {"peek", "-tube", "a", "-state", "reserved"},
		{"peek", "-tube", "a", "1"},
		{"delete"}, {"delete", "1", "x"}, {"bury"}, {"stats", "x", "y"}, {"stats", "x", "-tube", "a"},
		{"stats", "-tube", "a", "-job", "1"}, {"stats", "-tube", "é"},
		{"tubes", "a", "b"}, {"tubes", "[a"}, {"kick"}, {"kick", "a", "b"}, {"kick", "-jobs", "a"},
		{"pause", "a"}, {"pause", "a", "-5s"}, {"pause", "a", "soon"}, {"purge"}, {"purge", "a", "-state", "reserved"},
		{"move", "a"}, {"move", "a", "a"}, {"move", "a", "b", "c"},
	} {
		// There is no server: wrong usage is noticed before one is needed.
		o := ran(t, append(slices.Clone(args), "-server", "unix:/nowhere/s")...)
		if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, "Use: beanfield "+args[0]) {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
