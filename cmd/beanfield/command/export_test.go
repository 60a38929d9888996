package command

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A tube goes from one server to another and back, with all that can be kept, and nothing
// changes where it came from.
func TestExportAndLoad(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(t, s)
		s.typed("\xff\x00\r\n", "put", "-tube", "bin", "-file", "-").want(t, 0, "6\n", "")
		s.run("put", "other <&>").want(t, 0, "7\n", "")
		const want = `{"tube":"from","id":1,"pri":3,"delay":0,"ttr":33,"state":"ready","body":"r1"}
{"tube":"from","id":2,"pri":3,"delay":0,"ttr":33,"state":"ready","body":"r2"}
{"tube":"from","id":3,"pri":1024,"delay":499,"ttr":60,"state":"delayed","body":"d1"}
{"tube":"from","id":4,"pri":1024,"delay":0,"ttr":60,"state":"buried","body":"b1"}
{"tube":"from","id":5,"pri":1024,"delay":0,"ttr":60,"state":"buried","body":"b2"}
{"tube":"bin","id":6,"pri":1024,"delay":0,"ttr":60,"state":"ready","body_base64":"/wANCg=="}
{"tube":"default","id":7,"pri":1024,"delay":0,"ttr":60,"state":"ready","body":"other <&>"}
`
		lines := strings.SplitAfter(want, "\n")
		s.run("export", "from").want(t, 0, strings.Join(lines[:5], ""), "")
		s.run("export", "bin", "from").want(t, 0, strings.Join(lines[:6], ""), "")
		s.run("export", "-all").want(t, 0, want, "")
		s.run("export", "-all", "-below", "3").want(t, 0, strings.Join(lines[:2], ""), "")
		s.run("export", "-all", "-from", "6").want(t, 0, strings.Join(lines[5:7], ""), "")
		s.run("export", "nowhere").want(t, 3, "", "there is no tube nowhere")
		s.vanishes(probeTube)
		s.wantCount("from", "current-jobs-buried", "2")

		// Ids of this server go on after the probes.
		file := filepath.Join(t.TempDir(), "all")
		writeFile(t, file, want)
		o := s.run("load", file)
		if o.code != 0 || strings.Count(o.stdout, "\n") != 7 {
			t.Errorf("%+v", o)
		}
		second := startServer(t, beanfield(t))
		second.typed(want, "load").want(t, 0, "1\n2\n3\n4\n5\n6\n7\n", "")
		second.run("export", "-all").want(t, 0, strings.Replace(want, "499", "498", 1), "")
		second.run("peek", "-tube", "from", "-state", "buried").want(t, 0, "b1\n", "")
		second.typed(want, "load", "-", "-tube", "one", "-quiet").want(t, 0, "", "")
		second.wantCount("one", "total-jobs", "7")
	})
}

// Lines that are no jobs are named, and what came before them is put.
func TestLoadRefuses(t *testing.T) {
	s := startServer(t, beanfield(t), "-z", "4")
	const good = `{"tube":"a","body":"x"}` + "\n"
	n := 0
	for line, says := range map[string]string{
		"":                                "EOF",
		"nonsense":                        "invalid character",
		`{"tube":"a"}`:                    "no body",
		`{"body":"x"}`:                    `the tube ""`,
		`{"tube":"a\r\nquit","body":"x"}`: "the tube",
		`{"tube":"a","body":"x","body_base64":"eA=="}`: "two bodies",
		`{"tube":"a","body":"x","state":"gone"}`:       `the state "gone"`,
		`{"tube":"a","body":"x","pri":-1}`:             "pri",
		`{"tube":"a","body":"x","prio":1}`:             "prio",
		good[:len(good)-1] + "{}":                      "after it",
	} {
		n++
		s.typed(good+line+"\n"+good, "load").want(t, 1, fmt.Sprintln(n), "line 2: not a job: ")
		if o := s.typed(line+"\n", "load"); !strings.Contains(o.stderr, says) ||
			!strings.Contains(o.stderr, "0 jobs were put") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	s.typed(good+`{"tube":"a","body":"large"}`+"\n"+good, "load").want(t, 1, fmt.Sprintf("%d\n%d\n", n+1, n+2),
		"line 2: the job is larger")
	s.run("load", filepath.Join(s.dir, "none")).want(t, 1, "", "no such file")
	s.run("export").want(t, 2, "", "name tubes, or use -all")
	s.run("export", "-all", "a").want(t, 2, "", "name tubes, or use -all")
}

// A walk over many ids finds the jobs at both ends, and stops early if it has all.
func TestExportWalks(t *testing.T) {
	s := startServer(t, beanfield(t))
	s.run("put", "-tube", "low", "first").want(t, 0, "1\n", "")
	if o := s.typed(strings.Repeat("x\n", 3*window), "put", "-lines", "-tube", "big", "-quiet"); o.code != 0 {
		t.Fatal(o)
	}
	s.run("put", "-tube", "high", "last").want(t, 0, fmt.Sprintln(3*window+2), "")
	s.run("export", "low").has(t, 0, `"body":"first"`)
	before := asks(s, "cmd-stats-job")
	s.run("export", "high").has(t, 0, `"body":"last"`)
	if n := asks(s, "cmd-stats-job") - before; n > window+10 {
		t.Errorf("asked for %d jobs to find the highest", n)
	}
	if o := s.run("export", "low", "big", "high"); o.code != 0 || strings.Count(o.stdout, "\n") != 3*window+2 {
		t.Errorf("code %d, %d lines: %s", o.code, strings.Count(o.stdout, "\n"), o.stderr)
	}
	s.drains()
	s.run("export", "high").want(t, 1, "", "no such put if -below ID")
	s.run("export", "high", "-below", "40000").has(t, 0, `"body":"last"`)
}

func TestPipedIntoAnotherServer(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	a, b := startServer(t, beanfield(t)), startServer(t, beanfield(t))
	mixed(t, a)
	cmd := exec.Command("sh", "-c", `"$BF" export -all | "$BF" load -quiet -server "$TO"`)
	cmd.Env = append(cmd.Environ(), "BF="+beanfield(t), "TO="+b.addr, serverVariable+"="+a.addr)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	if got := b.count("from", "current-jobs-buried") + b.count("from", "current-jobs-ready"); got != "22" {
		t.Errorf("buried and ready: %s", got)
	}
}
