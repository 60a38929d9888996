package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// slow is the command of that name.
type slow struct {
	consoleLink
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
	var list slowList
	if err := a.get(c, "slow", &list); err != nil {
		return err
	}
	switch {
	case len(list.Commands) > 0 && c.json:
		return a.print(c, list.Commands)
	case len(list.Commands) > 0:
		return showSlow(c.Stdout, list.Commands)
	case list.Bound == 0:
		return missingf("log.slow is 0 at the server, so nothing is noted")
	}
	return missingf("the server remembers no command that took longer than %v", time.Duration(list.Bound*1e9))
}

// refused is the command of that name. Its flags are those of slow.
type refused struct{ slow }

func (a *refused) run(c *call) error {
	var list struct {
		Hidden   bool
		Commands []json.RawMessage
	}
	if err := a.get(c, "refused", &list); err != nil {
		return err
	}
	switch {
	case list.Hidden:
		return errors.New("what was refused is shown to those with the right admin on every tube; see beanfield " +
			"help rights")
	case len(list.Commands) == 0:
		return missingf("the server remembers no command that was refused")
	case c.json:
		return a.print(c, list.Commands)
	}
	out := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "WHEN\tREASON\tCLIENT\tLINE")
	for _, one := range list.Commands {
		var k struct {
			At                        int64
			Client, Who, Reason, Line string
		}
		if err := json.Unmarshal(one, &k); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%+q\n", moment(k.At), k.Reason, strings.TrimSpace(k.Client+" "+k.Who), k.Line)
	}
	return out.Flush()
}

// print prints objects of JSON.
func (a *slow) print(c *call, all []json.RawMessage) error {
	for _, one := range all {
		fmt.Fprintf(c.Stdout, "%s\n", one)
	}
	return nil
}

// moment shows when something was, in milliseconds since 1970.
func moment(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05.000") }

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
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", moment(k.At),
			briefly(k.Took), briefly(k.Turn), briefly(k.Ran), briefly(k.Disk), verb, k.Tube, job,
			strings.TrimSpace(k.Client+" "+k.Who))
	}
	return out.Flush()
}

// briefly shows seconds.
func briefly(seconds float64) string {
	return time.Duration(seconds * 1e9).Round(100 * time.Microsecond).String()
}
