package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"

	"beanfield/tools/clients/checks"
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

	c := checks.New("go-beanstalk")
	for _, section := range sections {
		// On a tube of its own, so that a section that broke leaves nothing in the way of the
		// next.
		c.Section(section.name, func() {
			s := open(c, address, "go-"+section.name)
			defer s.conn.Close()
			section.play(s)
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
