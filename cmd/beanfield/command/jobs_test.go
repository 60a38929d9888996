package command

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestManyLines(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		const many = 100_000
		var lines, numbers strings.Builder
		for i := range many {
			fmt.Fprintf(&lines, "line %d\n", i)
			fmt.Fprintln(&numbers, i+1)
		}
		s.typed(lines.String(), "put", "-lines", "-tube", "big").want(t, 0, numbers.String(), "")
		s.talk("$ peek 100000\nline 99999\n$ purge big -n 1000\npurged 1000\n$ counts big ready\n99000")
	})
}

// A reserve waits as long as it is told.
func TestReserveWaits(t *testing.T) {
	s, begun := startServer(t), time.Now()
	s.talk("$ reserve -timeout 900ms [3 no job within 900ms]")
	if time.Since(begun) < 900*time.Millisecond {
		t.Error("it did not wait")
	}
}

// If a server takes no more jobs, it is not asked for ever.
func TestPutRefused(t *testing.T) {
	s := startServer(t)
	s.talk("$ sh kill -USR1 PID\n$ until stats\n~ draining: true")
	o := s.typed(strings.Repeat("a\n", 10_000), "put", "-lines")
	o.want(t, 1, "", "the server takes no new jobs: DRAINING; 0 jobs were put")
	if n := strings.Count(o.stderr, "\n"); n > reported+2 {
		t.Errorf("%d lines of complaints:\n%s", n, o.stderr)
	}
}

// wrongUsage makes no sense.
const wrongUsage = `put
put -lines x
put x -tube 'a b'
put x -tube -a
put x -pri -1
put x -nonsense
put -tube '' x
put -ttr 4294967296 x
reserve 'x y'
reserve -then eat
reserve -n 0
reserve -tube ''
peek
peek x y
peek -1
peek -tube a -state reserved
peek -tube a 1
peek -tube '' 1
delete
delete 1 x
bury
stats x y
stats x -tube a
stats -tube a -job 1
stats -tube é
stats ''
stats -tube ''
stats -job 0
stats -job ''
load -tube ''
tubes a b
tubes [a
kick
kick a b
kick -jobs a
pause a
pause a -5s
pause a soon
pause a 4294967296
purge
purge a -state reserved
move a
move a a
move a b c
export
export -all a
bench -jobs 0
bench -connections 201
top -interval 0s
list -state odd
list -tag odd
list -bodies 5000
list mail news
policy odd
peek 1 -config x`

// Names that the server would not take are noticed before one is needed, and so is what makes no sense. An empty name,
// from a script whose variable is not set, is not the same as none.
func TestWrongUsage(t *testing.T) {
	for line := range strings.SplitSeq(wrongUsage, "\n") {
		args := words(line)
		o := ran(append(args, "-server", "unix:/nowhere/s")...)
		if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, "Use: beanfield "+args[0]) {
			t.Errorf("%s: %+v", line, o)
		}
	}
	for name, good := range map[string]bool{"a": true, "A-z0+/;.$_()": true, "0": true, strings.Repeat("x", 200): true,
		"": false, "-a": false, "a b": false, "a\r\n": false, "aéb": false, "a!b": false, "a\x00": false,
		strings.Repeat("x", 201): false} {
		if isTube(name) != good {
			t.Errorf("%q is a tube: %v", name, !good)
		}
	}
}
