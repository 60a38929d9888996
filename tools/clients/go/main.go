package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"
	"runtime/debug"
	"time"
)

const (
	timeLimit = 60 * time.Second // of the whole run
	patience  = 10 * time.Second // of a reserve that is expected to get a job
)

var (
	quotes    = os.Getenv("QUOTES")
	reference = os.Getenv("REFERENCE") == "1"
	known     struct{ Stats, Tube, Job []string }

	misleading = regexp.MustCompile(`^(#.*|[0-9.]+(e[0-9]+)?)$`)
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: clients HOST PORT")
		os.Exit(2)
	}
	address := net.JoinHostPort(os.Args[1], os.Args[2])
	text, err := os.ReadFile("stats-keys.json")
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}

	var c checks
	time.AfterFunc(timeLimit, func() {
		fmt.Fprintf(os.Stderr, "FAIL go-beanstalk: %s: not done after %v\n", c.section, timeLimit)
		os.Exit(1)
	})
	for _, s := range sections {
		c.run(s.name, address, s.play)
	}

	name := "go-beanstalk " + version()
	if c.failed > 0 {
		fmt.Printf("FAIL %s: %d of %d checks failed\n", name, c.failed, c.done)
		os.Exit(1)
	}
	fmt.Printf("ok   %s: %d checks\n", name, c.done)
}

// run plays one section on a tube of its own, so that a section that broke
// leaves nothing in the way of the next.
func (c *checks) run(section, address string, play func(*session)) {
	c.section = section
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			c.that("unexpected error", false, p.err)
		default:
			panic(p)
		}
	}()
	s := c.open(address, "go-"+section)
	defer s.conn.Close()
	play(s)
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && len(info.Deps) > 0 {
		return info.Deps[0].Version
	}
	return "(unknown)"
}

// text is a string as the server writes it into stats. Of those that come up
// here, a YAML reader takes for something else what begins with #, and numbers,
// which the name of a machine may be.
func text(s string) string {
	if quotes == "always" || quotes == "needed" && misleading.MatchString(s) {
		return `"` + s + `"`
	}
	return s
}
