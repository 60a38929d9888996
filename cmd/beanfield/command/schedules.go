package command

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"beanfield/conn/beanstalk/client"
)

// schedules is the command of that name. Those that are set at run time are in one text with the policies,
// which is changed as the command policy does.
type schedules struct{}

func (a *schedules) run(c *call) error {
	word, err := c.act("", "remove", "set")
	if err != nil {
		return err
	}
	if word != "" {
		return a.change(c, word)
	}
	return c.withServer(func(s *client.Client) error {
		list, err := s.Schedules()
		if err != nil {
			return err
		}
		out := bufio.NewWriter(c.Stdout)
		if err := a.show(c, out, list); err != nil {
			return err
		}
		return out.Flush()
	})
}

func (*schedules) show(c *call, out *bufio.Writer, list []client.Document) error {
	if c.json {
		return encodeAll(out, list)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "next tick\tlast tick\tjobs\tmissed\trefused\tfrom\ttube\tname")
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cmp.Or(d.Get("next-tick"), "-"), cmp.Or(d.Get("last-tick"),
			"-"),
			d.Get("jobs"), d.Get("missed"), d.Get("refused"), cmp.Or(d.Get("from"), "-"), d.Get("tube"), d.Get("name"))
	}
	return t.Flush()
}

// change sets or removes one schedule.
func (a *schedules) change(c *call, word string) error {
	if c.json {
		return usagef("-json is for the list")
	}
	edit := map[string]func(*call, string) (string, error){"set": setSchedule, "remove": removeSchedule}[word]
	return c.withServer(func(s *client.Client) error {
		p, err := s.Policies()
		if err != nil {
			return err
		}
		text, err := edit(c, p.Text)
		if err != nil {
			return err
		}
		return c.applyPolicies(s, text, p.Version)
	})
}

// setSchedule changes some keys of one schedule, or writes a new one at the end.
func setSchedule(c *call, text string) (string, error) {
	if len(c.words) < 2 {
		return "", usagef("name a schedule, and KEY=VALUE")
	}
	tables, i, err := findTable(text, nameOf, c.words[0])
	if err != nil {
		return "", err
	}
	if i < 0 {
		i = len(tables)
		tables = append(tables, "[[schedule]]\nname = "+written(c.words[0])+"\n")
	}
	tables[i], err = setKeys(tables[i], c.words[1:], func(key, value string) string {
		if key == "pri" {
			return literal(value)
		}
		return written(value)
	})
	return strings.Join(tables, ""), err
}

func removeSchedule(c *call, text string) (string, error) {
	if len(c.words) != 1 {
		return "", usagef("name one schedule")
	}
	return withoutTable(text, nameOf, c.words[0], missingf("no schedule %s was set at run time", c.words[0]))
}

// written writes text as TOML does, whatever it is.
func written(text string) string {
	b := []byte{'"'}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			b = fmt.Appendf(b, "\\u%04x", r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(append(b, '"'))
}
