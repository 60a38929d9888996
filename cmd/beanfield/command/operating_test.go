package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestBench(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		for _, more := range [][]string{nil, {"-depth", "7", "-connections", "3"}} {
			o := s.run(append([]string{"bench", "-json", "-jobs", "1000"}, more...)...)
			var r results
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != 0 || r.Jobs != 1000 ||
				min(r.Put, r.Reserve, r.Delete) < 100 {
				t.Errorf("%+v: %v", o, err)
			}
		}
		s.talk(fmt.Sprintf("$ until stats -tube beanfield.bench.%d [3 there is no tube]", os.Getpid()))
		if n := s.count("", "cmd-delete"); n != 2000 {
			t.Errorf("%d jobs were deleted", n)
		}
		text := s.run("bench", "-jobs", "10")
		if text.code != 0 || strings.Count(text.stdout, "/s\n") != 3 {
			t.Errorf("%+v", text)
		}
	})
}

// A bench that fails leaves no jobs behind.
func TestBenchCleansUp(t *testing.T) {
	s := startServer(t, "-z", "50")
	s.talk(fmt.Sprintf(`
$ put -tube beanfield.bench.%d left behind
1
2
$ bench -size 100 [1 JOB_TOO_BIG]
$ peek 1 2 [3 not found: 1, 2]`, os.Getpid()))
}
