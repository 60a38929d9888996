package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// slow is the command of that name.
type slow struct {
	consoleLink
	json bool
}

func (a *slow) flags(f *flag.FlagSet) {
	a.consoleLink.flags(f)
	f.BoolVar(&a.json, "json", false, "print an object of JSON for each command")
}

// slowCommand is what the server says of a command, and slowList of all.
type slowCommand struct {
	At                    int64
	Verb, Tube            string
	ID                    uint64
	Count                 int
	Client, Who           string
	Took, Turn, Ran, Disk float64
}

type slowList struct {
	Bound    float64
	Commands []json.RawMessage
}

func (a *slow) run(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	var list slowList
	if err := a.get(c, "slow", &list); err != nil {
		return err
	}
	switch {
	case len(list.Commands) > 0 && a.json:
		for _, one := range list.Commands {
			fmt.Fprintf(c.Stdout, "%s\n", one)
		}
		return nil
	case len(list.Commands) > 0:
		return showSlow(c.Stdout, list.Commands)
	case list.Bound == 0:
		return missingf("log.slow is 0 at the server, so nothing is noted")
	}
	return missingf("the server remembers no command that took longer than %v", time.Duration(list.Bound*1e9))
}

// showSlow prints a table.
func showSlow(to io.Writer, all []json.RawMessage) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "WHEN\tTOOK\tTURN\tRAN\tDISK\tCOMMAND\tTUBE\tJOB\tCLIENT")
	for _, one := range all {
		var k slowCommand
		if err := json.Unmarshal(one, &k); err != nil {
			return err
		}
		verb, job := k.Verb, ""
		if k.Count > 1 {
			verb = fmt.Sprintf("%s x %d", verb, k.Count)
		}
		if k.ID != 0 {
			job = fmt.Sprint(k.ID)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", time.UnixMilli(k.At).Format("2006-01-02 15:04:05.000"),
			briefly(k.Took), briefly(k.Turn), briefly(k.Ran), briefly(k.Disk), verb, k.Tube, job, strings.TrimSpace(k.Client+" "+k.Who))
	}
	return out.Flush()
}

// briefly shows seconds.
func briefly(seconds float64) string {
	return time.Duration(seconds * 1e9).Round(100 * time.Microsecond).String()
}
