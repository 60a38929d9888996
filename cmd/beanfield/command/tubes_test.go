package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"beanfield/storage/must"
)

func TestTubes(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk(`
$ put -tube mail/a 1 2
1
2
$ put -tube 123 -delay 9 x
3
$ pause 123 1m40s
$ pause nowhere 5 [3 there is no tube nowhere]
$ tubes -names
123
default
mail/a
$ tubes -names m*a
mail/a
$ tubes x* [3 no tube matches x*]
$ tubes
  ready  reserved  delayed  buried  waiting  paused  tube
      0         0        1       0        0     99s  123
      0         0        0       0        0       -  default
      2         0        0       0        0       -  mail/a
$ stats mail/a
~ current-jobs-ready: 2
$ stats 1
~ tube: 
$ stats 3
~ state: delayed
$ stats -tube 123
~ current-jobs-delayed: 1
$ stats 123 [3 there is no job 123; -tube 123 asks for a tube with that name]
$ stats nowhere [3 there is no tube nowhere]
$ stats mail/a 2 [2 name one tube or one job]`)
		var d map[string]any
		must.Do(t, json.Unmarshal([]byte(s.run("tubes", "-json", "123").stdout), &d))
		must.Do(t, json.Unmarshal([]byte(s.run("stats", "-json").stdout), &d))
		_, text := d["version"].(string)
		if d["name"] != "123" || d["current-jobs-delayed"] != 1.0 || d["pause"] != 100.0 || !text || d["cmd-put"] != 3.0 ||
			d["draining"] != false {
			t.Errorf("%v", d)
		}
		s.talk("$ pause 123 0")
		if s.count("123", "pause") != 0 {
			t.Error("it is paused")
		}
	})
}

func TestKickAndBury(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk(`
$ put -tube a 1 2 3 -pri 7
1
2
3
$ put -tube a -delay 100 4
4
$ bury 3 9 1 4 [3 not found: 9]
$ bury 3
$ stats -job 3 -json
~ "state":"buried","pri":7
$ stats -job 3 -json
~ "buries":1
$ kick a 1
kicked 1
$ stats -job 3
~ state: ready
$ kick -jobs 1 2 [3 not found: 2]
$ put -tube a -delay 100 5
5
$ kick a
kicked 1
$ kick a -json
{"kicked":1}
$ kick nowhere [3 there is no tube nowhere]`)
		s.wantCounts("a", "delayed 0 ready 5")
	})
}

// mixed fills a tube with jobs of each state.
func mixed(s *daemon) {
	s.t.Helper()
	s.talk(`
$ put -tube from -pri 3 -ttr 33 r1 r2
1
2
$ put -tube from -delay 500 d1
3
$ put -tube from b1 b2
4
5
$ bury 5 4`)
}

func TestMove(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(s)
		s.talk("$ move from to\nmoved 5")
		s.vanishes("from")
		ids, want := []string{"6", "7", "8", "9", "10"}, "ready r1, ready r2, delayed d1, buried b2, buried b1"
		if s.moves() {
			ids, want = []string{"1", "2", "3", "4", "5"}, "ready r1, ready r2, delayed d1, buried b1, buried b2"
		}
		var got []string
		for line := range strings.Lines(s.run(append([]string{"peek", "-json"}, ids...)...).stdout) {
			var j job
			must.Do(t, json.Unmarshal([]byte(line), &j))
			if j.State == delayed && (j.Delay < 490 || j.Delay > 500) || j.Tube != "to" {
				t.Errorf("%+v", j)
			}
			got = append(got, j.State+" "+string(j.body()))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %s", got, want)
		}
		s.run("peek", ids[0], "-json").has(t, 0, `"pri":3,"delay":0,"ttr":33,"state":"ready"`)
		s.talk(`
$ peek -tube to -state buried
b2
$ move from to [3 there is no tube from]
$ move to back -state buried,ready -n 3
moved 3`)
		s.wantCounts("back", "buried 2 ready 1")
	})
}

// A job that cannot be put stays as it was: a buried one does not go to a worker.
func TestMoveRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(s)
		s.drains()
		if s.moves() { // what moves is no new job; so something else has to refuse it
			s.talk("$ move from to\nmoved 5\n$ policy set back max_jobs=2\n~ \n" +
				"$ move to back [1 1 jobs stay where they are: the other tube is full]\nmoved 2")
			s.wantCounts("back", "ready 2")
			s.wantCounts("to", "delayed 1 buried 2")
			return
		}
		for _, state := range []string{"buried", "delayed", "ready"} {
			s.run("move", "from", "to", "-state", state).want(t, 1, "moved 0\n", "DRAINING")
		}
		s.wantCounts("from", "ready 2 delayed 1 buried 2 reserved 0")
	})
}

func TestPurge(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(s)
		s.talk(`
$ purge from -state buried -n 1
purged 1
$ purge from -state delayed -json
{"purged":1}
$ purge from
purged 3`)
		s.vanishes("from")
		s.talk("$ purge from [3 there is no tube from]\n$ purge default\npurged 0")
	})
}

// A list has the jobs that are asked for; a server that cannot list them is told of.
func TestList(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk("$ put -tube mail one 'two words'\n1\n2")
		s.run("put", "-tube", "news", "-delay", "100", "three\xff").want(t, 0, "3\n", "")
		if r := s.run("list"); strings.Contains(r.stderr, "list-jobs") {
			r.want(t, 1, "", "export, peek and tail work with every server")
			return
		}
		s.talk(`
$ list -tube news
3 news delayed pri 1024 age 0s size 6: "three\xff"
$ list -body 'o w'
~ 2 mail ready pri 1024 age 
$ list -tube none [3 there is no tube none]
$ list -state buried [3 no job was found]
$ list -older 1h -tube mail [3 no job was found]
$ list -tag a=b [3 no job was found]
$ list -json -younger 1h -state ready -bodies 4096 -body two
~ "body":"two words"}
$ list -json -state delayed
~ "body_base64":"dGhyZWX/"}`)
	})
}

// It goes from page to page, and stops when it has enough.
func TestListPages(t *testing.T) {
	s := startServer(t)
	const jobs = pageMost + 50
	s.puts("many", jobs)
	for n, want := range map[string]int{"0": jobs, "1": 1, "1000": pageMost, "1001": pageMost + 1, "5000": jobs} {
		r := s.run("list", "-tube", "many", "-bodies", "0", "-n", n)
		if got := strings.Count(r.stdout, "\n"); got != want || r.code != 0 {
			t.Errorf("-n %s lists %d jobs, code %d: %s", n, got, r.code, r.stderr)
		}
	}
}

// A page without jobs is no end: a search stops when it has looked at many.
func TestListGoesOn(t *testing.T) {
	asked := 0
	s := pretend(t, func(conn net.Conn, in *bufio.Reader) {
		for {
			line, err := in.ReadString('\n')
			body := "---\njobs: []\ncursor: \"9\"\n"
			switch {
			case err != nil:
				return
			case line == "capabilities\r\n":
				body = "---\n- list-jobs\n"
			case strings.Contains(line, "cursor=9"):
				body = "---\njobs: []\ncursor: \"\"\n"
			}
			if strings.HasPrefix(line, "list-jobs ") {
				asked++
			}
			fmt.Fprintf(conn, "OK %d\r\n%s\r\n", len(body), body)
		}
	})
	s.run("list", "-body", "x")
	if asked != 2 {
		t.Errorf("%d pages were asked for", asked)
	}
}

// A tube is named by a word or by -tube, which mean the same.
func TestTubeFlag(t *testing.T) {
	s := startServer(t)
	s.talk("$ put -tube a 1 2 3\n1\n2\n3\n$ bury 2")
	for _, args := range []string{"peek *", "list *", "stats *", "export *", "reserve *", "tubes * -names", "pause * 0",
		"policy list *", "kick * -json 1", "move * to", "purge *", "policy remove *"} {
		byFlag := s.run(words(strings.Replace(args, "*", "-tube a", 1))...)
		if args == "move * to" {
			s.talk("$ move to a\n~ moved")
		}
		byWord := s.run(words(strings.Replace(args, "*", "a", 1))...)
		if args != "kick * -json 1" && byWord != byFlag || byFlag.code == codeUsage {
			t.Errorf("%s: %+v, with -tube %+v", args, byWord, byFlag)
		}
	}
	s.talk("$ policy\n$ policy -json")
	s.typed("[[tube]]\nmatch = 'a*'\nmax_jobs = 2\n\n[[tube]]\nmatch = 'ab'\nmax_jobs = 1\n", "policy", "load", "-").
		has(t, 0, "")
	s.talk(`
$ policy list
~ (never asked: a* comes first) max_jobs=1
$ policy list -json
~ "hidden-by":"a*","max_jobs":`)
	s.run("policy", "remove", "ab").has(t, 0, "")
	s.run("policy", "set", `"a*"`, "rate=1").has(t, 2, "")
	for _, words := range [][]string{{"c", "max_jobs=3", "retry=2s..1h"}, {"a*", "retry=1s..1h"}, {"c", "max_jobs=4", "retry="}} {
		s.run(append([]string{"policy", "set"}, words...)...).has(t, 0, "")
	}
	s.talk(`
$ policy text
[[tube]]
match = 'a*'
max_jobs = 2
retry = "1s..1h"

[[tube]]
match = "c"
max_jobs = 4`)
}
