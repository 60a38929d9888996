package command

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"beanfield/conn/beanstalk/client"
)

// tubes is the command of that name.
type tubes struct {
	Names bool `flag:"names print only the names"`
}

func (a *tubes) run(c *call) error {
	pattern, err := c.pattern(true, "")
	if err != nil {
		return err
	}
	return c.withServer(func(s *client.Client) error {
		names, err := matching(s, pattern)
		if err != nil {
			return err
		}
		if err = missingf("no tube matches %s", pattern); len(names) == 0 && hides(s) {
			return c.lacks("%v, or WHO may do nothing there", err)
		}
		if len(names) == 0 {
			return err
		}
		out := bufio.NewWriter(c.Stdout)
		if a.Names {
			for _, n := range names {
				fmt.Fprintln(out, n)
			}
			return out.Flush()
		}
		all, err := tubeStats(s, names)
		if err == nil && len(all) == 0 {
			_, err = s.Stats("stats-tube " + names[0])
		}
		if err != nil {
			return err
		}
		if err := a.show(c, out, all); err != nil {
			return err
		}
		return out.Flush()
	})
}

// matches matches a tube with a pattern, as names of files are matched, but a slash is a
// character like any other.
func matches(pattern, tube string) bool {
	flat := func(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
	ok, _ := path.Match(flat(pattern), flat(tube))
	return ok
}

// matching lists the tubes that match a pattern, by name.
func matching(s *client.Client, pattern string) ([]string, error) {
	names, err := s.Tubes()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !matches(pattern, n) })
	slices.Sort(names)
	return names, nil
}

// tubeStats asks for the stats of tubes. One that is gone meanwhile is left out.
func tubeStats(s *client.Client, names []string) (all []client.Document, err error) {
	pipe := s.Pipe(func(r client.Reply) error {
		if r.Word == "NOT_FOUND" {
			return nil
		}
		if err := r.Want("OK"); err != nil {
			return err
		}
		d, err := client.ParseDocument(r.Body)
		all = append(all, d)
		return err
	})
	for _, n := range names {
		if err := pipe.Send("stats-tube " + n); err != nil {
			return nil, err
		}
	}
	return all, pipe.Flush()
}

func (*tubes) show(c *call, out *bufio.Writer, all []client.Document) error {
	if c.json {
		return encodeAll(out, all)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ready\treserved\tdelayed\tburied\twaiting\tpaused\t  tube")
	for _, d := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", d.Get("current-jobs-ready"), d.Get("current-jobs-reserved"),
			d.Get("current-jobs-delayed"), d.Get("current-jobs-buried"), d.Get("current-waiting"), paused(d),
			d.Get("name"))
	}
	return t.Flush()
}

// paused is for how long a tube still is.
func paused(d client.Document) string {
	if d.Number("pause") == 0 {
		return "-"
	}
	return d.Get("pause-time-left") + "s"
}
