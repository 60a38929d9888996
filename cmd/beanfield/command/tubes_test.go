package command

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

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
}
