package command

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"beanfield/conn/beanstalk/client"
)

// list shows all policies.
func (a *policy) list(c *call, p *client.Policies) error {
	if err := c.noWords(); err != nil {
		return err
	}
	for _, problem := range p.Problems {
		fmt.Fprintln(c.Stderr, "left out: "+problem)
	}
	return a.show(c, p.List)
}

// one shows the policy that holds for a tube.
func (a *policy) one(c *call, s *client.Client, tube string) error {
	if err := checkTubes(tube); err != nil {
		return err
	}
	d, err := s.Policy(tube)
	if err != nil {
		return err
	}
	if d.Get("match") == "" {
		return missingf("no policy matches %s", tube)
	}
	return a.show(c, []client.Document{d[1:]})
}

func (a *policy) show(c *call, list []client.Document) error {
	if c.json {
		return encodeAll(c.Stdout, list)
	}
	out := tabwriter.NewWriter(c.Stdout, 0, 8, 2, ' ', 0)
	for _, d := range list {
		fmt.Fprintf(out, "%s\t%s, line %s\t", d.Get("match"), d.Get("from"), d.Get("line"))
		var text bytes.Buffer
		for _, f := range d {
			switch f.Key {
			case "match", "from", "line":
			case "hidden-by":
				fmt.Fprintf(&text, " (never asked: %s comes first)", f.Value)
			default:
				fmt.Fprintf(&text, " %s=%s", f.Key, f.Value)
			}
		}
		fmt.Fprintln(out, string(bytes.TrimSpace(text.Bytes())))
	}
	return out.Flush()
}
