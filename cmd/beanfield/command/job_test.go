package command

import (
	"strings"
	"testing"
)

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
	s.talk("$ sh kill -USR1 PID\n$ until stats\n~ draining: true")
	s.talk("$ export high [1 no such put if -below ID]\n$ export high -below 40000\n~ \"body\":\"last\"")
}
