package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"

	"beanfield/tools/clients/checks"
)

//go:embed conversations.txt
var conversations string

var (
	quotes    = os.Getenv("QUOTES")
	reference = os.Getenv("REFERENCE") == "1"
	known     map[string][]string

	misleading = regexp.MustCompile(`^(#.*|[0-9.]+(e[0-9]+)?)$`)
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: clients HOST PORT")
		os.Exit(2)
	}
	text, err := os.ReadFile("stats-keys.json")
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	c := checks.New("go-beanstalk")
	for _, section := range strings.Split(conversations, "\n=== ")[1:] {
		name, lines, _ := strings.Cut(section, "\n")
		if reference && name == "expiry" {
			continue
		}
		c.Section(name, func() {
			s := newSession(c, net.JoinHostPort(os.Args[1], os.Args[2]), "go-"+name)
			defer s.close()
			for line := range strings.Lines(lines) {
				s.play(strings.TrimSpace(line))
			}
		})
	}
	c.Report("github.com/beanstalkd/go-beanstalk")
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
