package command

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"text/tabwriter"

	"beanfield/conn/beanstalk/client"
)

// schedules is the command of that name.
type schedules struct{ json bool }

func (a *schedules) flags(f *flag.FlagSet) {
	f.BoolVar(&a.json, "json", false, "print an object of JSON for each schedule")
}

func (a *schedules) run(c *call) error {
	if len(c.words) > 0 {
		return usagef("schedules takes no arguments")
	}
	return c.withServer(func(s *client.Client) error {
		list, err := s.Schedules()
		if err != nil {
			return err
		}
		out := bufio.NewWriter(c.Stdout)
		if err := a.show(out, list); err != nil {
			return err
		}
		return out.Flush()
	})
}

func (a *schedules) show(out *bufio.Writer, list []client.Document) error {
	if a.json {
		for _, d := range list {
			if err := encode(out, d); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "next tick\tlast tick\tjobs\tmissed\trefused\ttube\tname")
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cmp.Or(d.Get("next-tick"), "-"), cmp.Or(d.Get("last-tick"), "-"),
			d.Get("jobs"), d.Get("missed"), d.Get("refused"), d.Get("tube"), d.Get("name"))
	}
	return t.Flush()
}
