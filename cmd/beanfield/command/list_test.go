package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// A list has the jobs that are asked for; a server that cannot list them is told of.
func TestList(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "mail", "one", "two words").want(t, 0, "1\n2\n", "")
		s.run("put", "-tube", "news", "-delay", "100", "three\xff").want(t, 0, "3\n", "")
		if r := s.run("list"); strings.Contains(r.stderr, "list-jobs") {
			r.want(t, 1, "", "export, peek and tail work with every server")
			return
		}
		s.run("list", "-tube", "news").want(t, 0, "3 news delayed pri 1024 age 0s size 6: \"three\\xff\"\n", "")
		s.run("list", "-body", "o w").has(t, 0, "2 mail ready pri 1024 age ")
		s.run("list", "-tube", "none").want(t, 3, "", "there is no tube none")
		s.run("list", "-state", "buried").want(t, 3, "", "no job was found")
		s.run("list", "-older", "1h", "-tube", "mail").want(t, 3, "", "no job was found")
		s.run("list", "-tag", "a=b").want(t, 3, "", "no job was found")
		s.run("list", "-state", "odd").want(t, 2, "", "-state odd: want some of ready")
		s.run("list", "-tag", "odd").want(t, 2, "", "is not NAME=VALUE")
		s.run("list", "-bodies", "5000").want(t, 2, "", "-bodies must be 0 to 4096")
		s.run("list", "mail", "news").want(t, 2, "", "name one tube")
		lines := strings.Split(strings.TrimSpace(s.run("list", "-json", "-younger", "1h", "-state", "ready,delayed",
			"-bodies", "4096").stdout), "\n")
		if len(lines) != 3 {
			t.Fatalf("%q", lines)
		}
		found := map[float64]string{}
		for _, line := range lines {
			var j map[string]any
			must.Do(t, json.Unmarshal([]byte(line), &j))
			found[j["id"].(float64)] = fmt.Sprint(j["tube"], j["size"], j["body"], j["body_base64"])
		}
		if found[2] != "mail9two words<nil>" || found[3] != "news6 <nil>dGhyZWX/" {
			t.Errorf("%v", found)
		}
	})
}

// It goes from page to page, and stops when it has enough.
func TestListPages(t *testing.T) {
	s := startServer(t, beanfield(t))
	const jobs = pageMost + 50
	s.typed(strings.Repeat("x\n", jobs), "put", "-tube", "many", "-lines")
	for n, want := range map[int]int{0: jobs, 1: 1, pageMost: pageMost, pageMost + 1: pageMost + 1, 5000: jobs} {
		r := s.run("list", "-tube", "many", "-bodies", "0", "-n", fmt.Sprint(n))
		if got := strings.Count(r.stdout, "\n"); got != want || r.code != 0 {
			t.Errorf("-n %d lists %d jobs, code %d: %s", n, got, r.code, r.stderr)
		}
	}
}
