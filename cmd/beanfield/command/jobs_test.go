package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// U1: as all tests on each server, also with beanstalkd.
func TestPutAndReserve(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk(`
$ put -tube mail one -pri 5 -- -two
1
2
$ put -tube mail -json -delay 100 ''
{"id":3}
$ put -tube mail -quiet -pri 0 zero
$ peek 2 1
-two
one
$ peek 2 99 1 [3 not found: 99]
-two
one
$ peek -tube mail
zero
$ peek -tube mail -state buried [3 there is no buried job in tube mail]
$ peek 3 -json
{"tube":"mail","id":3,"pri":1024,"delay":99,"ttr":60,"state":"delayed","body":""}
$ reserve -tube mail -n 2
zero
one
$ reserve -tube mail -then delete
zero
$ reserve -tube mail -then bury
one
$ stats -job 1 -json
~ "pri":5,
$ reserve -tube mail -tube other -then delete -n 2 [3 no job within 0s; 1 were there]
-two
$ reserve [3 no job]`)
		s.run("peek", "-tube", "mail", "-state", "delayed").want(t, 0, "\n", "")
		s.wantCounts("mail", "buried 1")
		begun := time.Now()
		s.talk("$ reserve -timeout 900ms [3 no job within 900ms]\n$ delete 4 3 1 77 [3 not found: 4, 77]")
		if time.Since(begun) < 900*time.Millisecond {
			t.Error("it did not wait")
		}
		s.vanishes("mail")
		s.talk("$ stats -tube mail [3 there is no tube mail]")
	})
}

// A dash is standard input for whatever takes a body or a file. Bodies go in and out byte for byte.
func TestBodies(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		file := writeFile(t, t.TempDir()+"/body", string(all))
		lines := writeFile(t, file+"s", `{"tube":"b","body":"file"}`+"\n")
		id := 0
		for _, k := range []struct {
			args, stdin string
			bodies      []string
		}{
			{"-file " + file, "", []string{string(all)}},
			{"-file -", "a\r\nb\n", []string{"a\r\nb\n"}},
			{"-tube a -", "from\nstdin\n", []string{"from\nstdin\n"}},
			{"first - third", "second", []string{"first", "second", "third"}},
			{"-lines -", "x\ny\n", []string{"x", "y"}},
			{"-- -", "-", []string{"-"}},
			{"-lines", "a\n\nb \r\nc", []string{"a", "", "b \r", "c"}},
			{"load " + lines + " -", `{"tube":"b","body":"stdin"}` + "\n", []string{"file", "stdin"}},
		} {
			args := words("put " + k.args)
			if args[1] == "load" {
				args = args[1:]
			}
			o := s.typed(k.stdin, args...)
			for _, body := range k.bodies {
				id++
				s.run("peek", "-raw", fmt.Sprint(id)).want(t, 0, body, "")
			}
			if o.code != 0 || !strings.HasSuffix(o.stdout, fmt.Sprintln(id)) {
				t.Errorf("%s: %+v", k.args, o)
			}
		}
		var j job
		must.Do(t, json.Unmarshal([]byte(s.run("peek", "-json", "1").stdout), &j))
		if string(j.body()) != string(all) || j.Text != nil {
			t.Errorf("%+v", j)
		}
		s.run("reserve", "-raw", "-then", "delete").want(t, 0, string(all), "")
		s.run("reserve", "-raw", "-n", "7", "-then", "delete").want(t, 0, "a\r\nb\nfirstsecondthirdxy-", "")
	})
	talk(t, ran, `
$ put - - [2 only once]
$ put - -file - [2 not from both]
$ put [2 - for standard input]
$ load - - [2 only once]
$ check-config - [42]
-check-config -config /dev/stdin`)
}

func TestManyLines(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		const many = 100_000
		var lines, numbers strings.Builder
		for i := range many {
			fmt.Fprintf(&lines, "line %d\n", i)
			fmt.Fprintln(&numbers, i+1)
		}
		s.typed(lines.String(), "put", "-lines", "-tube", "big").want(t, 0, numbers.String(), "")
		s.talk("$ peek 100000\nline 99999\n$ purge big -n 1000\npurged 1000")
		s.wantCounts("big", "ready 99000")
	})
}

// What only put-with can say. A server without it is told nothing: the bodies would be commands.
func TestPutWithExtras(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk("$ put stays\n1")
		if r := s.run("put", "-unique", "k", "delete 1"); strings.Contains(r.stderr, "put-with") {
			r.want(t, 1, "", "does not have the command put-with")
			s.talk("$ peek 1\nstays")
			return
		}
		s.talk(`
$ put -unique k -tag c=d hello [1 job 1: job 2 has this key]
$ put -tube b -unique k -unique-for 1h -expire 0.25h -deliveries 3 -pri 7 -delay 9m -ttr 5 -tag 'c d=e f' -tag g= two
3
$ list -tag 'c d=e f' -tag g=
~ 3 b delayed pri 7
$ stats 3
~ delay: 540
$ put -once n x y z
4
5
6
$ put -once n x y z
4
5
6
$ put -once n alone
7
$ put -once n alone
7
$ put -unique k x y [2 only one job]
$ put -unique k -lines [2 only one job]
$ put -unique-for 5 x [2 needs -unique]
$ put -tag odd x [2 is not NAME=VALUE]`)
		s.typed("x\ny\nz\nmore", "put", "-once", "n", "-lines").want(t, 0, "4\n5\n6\n8\n", "")
		s.run("put", "-tag", "a="+strings.Repeat("x", 1000), "delete 1").want(t, 2, "", "too long")
		s.talk("$ peek 1\nstays")
	})
}

// What the server refuses is said, and the rest is put.
func TestPutRefused(t *testing.T) {
	s := startServer(t, "-z", "5")
	s.typed("a\ntoo long\nb\nas long as this\n", "put", "-lines").want(t, 1, "1\n2\n",
		"job 2: the job is larger than the server allows: JOB_TOO_BIG\njob 4: ")
	s.talk("$ put longer [1 1 of 1 jobs were not put]")
	s.drains()
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
