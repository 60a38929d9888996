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
		mixed(s)
		s.typed("\xff\x00\r\n", "put", "-tube", "bin", "-file", "-").want(t, 0, "6\n", "")
		s.talk("$ put 'other <&>'\n7")
		const want = `{"tube":"from","id":1,"pri":3,"delay":0,"ttr":33,"state":"ready","body":"r1"}
{"tube":"from","id":2,"pri":3,"delay":0,"ttr":33,"state":"ready","body":"r2"}
{"tube":"from","id":3,"pri":1024,"delay":499,"ttr":60,"state":"delayed","body":"d1"}
{"tube":"from","id":4,"pri":1024,"delay":0,"ttr":60,"state":"buried","body":"b1"}
{"tube":"from","id":5,"pri":1024,"delay":0,"ttr":60,"state":"buried","body":"b2"}
{"tube":"bin","id":6,"pri":1024,"delay":0,"ttr":60,"state":"ready","body_base64":"/wANCg=="}
{"tube":"default","id":7,"pri":1024,"delay":0,"ttr":60,"state":"ready","body":"other <&>"}
`
		lines := strings.SplitAfter(want, "\n")
		for args, part := range map[string][]string{
			"from": lines[:5], "bin from": lines[:6], "-all": lines, "-all -below 3": lines[:2], "-all -from 6": lines[5:],
		} {
			s.run(words("export "+args)...).want(t, 0, strings.Join(part, ""), "")
		}
		s.talk("$ export nowhere [3 there is no tube nowhere]")
		s.vanishes(probeTube)
		s.wantCounts("from", "buried 2")

		// Ids of this server go on after the probes.
		o := s.run("load", writeFile(t, filepath.Join(t.TempDir(), "all"), want))
		if o.code != 0 || strings.Count(o.stdout, "\n") != 7 {
			t.Errorf("%+v", o)
		}
		second := startServer(t)
		second.typed(want, "load").want(t, 0, "1\n2\n3\n4\n5\n6\n7\n", "")
		second.run("export", "-all").want(t, 0, strings.Replace(want, "499", "498", 1), "")
		second.talk("$ peek -tube from -state buried\nb1")
		second.typed(want, "load", "-", "-tube", "one", "-quiet").want(t, 0, "", "")
		if n := second.count("one", "total-jobs"); n != 7 {
			t.Errorf("%d jobs", n)
		}
	})
}

// Lines that are no jobs are named, and what came before them is put.
func TestLoadRefuses(t *testing.T) {
	s := startServer(t, "-z", "4")
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
		o := s.typed(good+line+"\n"+good, "load")
		o.want(t, 1, fmt.Sprintln(n), "line 2: not a job: ")
		if !strings.Contains(o.stderr, says) || !strings.Contains(o.stderr, "1 jobs were put") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	s.typed(good+`{"tube":"a","body":"large"}`+"\n"+good, "load").want(t, 1, fmt.Sprintf("%d\n%d\n", n+1, n+2),
		"line 2: the job is larger")
	s.talk("$ load /nowhere/none [1 no such file]")
}

// A walk over many ids finds the jobs at both ends, and stops early if it has all.
func TestExportWalks(t *testing.T) {
	s := startServer(t)
	s.talk("$ put -tube low first\n1")
	s.puts("big", 3*window)
	s.talk("$ put -tube high last\n30002\n$ export low\n~ \"body\":\"first\"")
	before := s.count("", "cmd-stats-job")
	s.talk("$ export high\n~ \"body\":\"last\"")
	if n := s.count("", "cmd-stats-job") - before; n > window+10 {
		t.Errorf("asked for %d jobs to find the highest", n)
	}
	if o := s.run("export", "low", "big", "high"); o.code != 0 || strings.Count(o.stdout, "\n") != 3*window+2 {
		t.Errorf("code %d, %d lines: %s", o.code, strings.Count(o.stdout, "\n"), o.stderr)
	}
	s.drains()
	s.talk("$ export high [1 no such put if -below ID]\n$ export high -below 40000\n~ \"body\":\"last\"")
}

func TestPipedIntoAnotherServer(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	a, b := startServer(t), startServer(t)
	mixed(a)
	cmd := exec.Command("sh", "-c", `"$BF" export -all | "$BF" load -quiet -server "$TO"`)
	cmd.Env = append(cmd.Environ(), "BF="+beanfield(), "TO="+b.addr, serverVariable+"="+a.addr)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	b.wantCounts("from", "buried 2 ready 2")
}
