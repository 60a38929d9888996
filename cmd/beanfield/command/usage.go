package command

import (
	"flag"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// line is how a command is called.
func (c *Command) line() string {
	line := "beanfield " + c.Name
	if len(c.flags()) > 0 {
		line += " [FLAGS]"
	}
	return strings.TrimSpace(line + " " + c.Args)
}

// shown is a flag as texts show it.
type shown struct{ name, value, text string }

// call is how the flag is given.
func (s shown) call() string { return strings.TrimSpace("-" + s.name + " " + s.value) }

// flags are the flags of a command, by name.
func (c *Command) flags() (all []shown) {
	if c.action == nil {
		return nil
	}
	_, f := c.flagSet(new(call))
	f.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		if !slices.Contains([]string{"", "0", "false", "0s"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		all = append(all, shown{f.Name, strings.ToUpper(value), text})
	})
	return all
}

// usage is the text of -h.
func (c *Command) usage() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Use: %s\n\n%s.\n", c.line(), c.Summary)
	if c.Help != "" {
		fmt.Fprintf(&out, "\n%s\n", c.Help)
	}
	link := flag.NewFlagSet("", flag.ContinueOnError)
	if c.remote {
		bind(link, reflect.ValueOf(&new(call).link).Elem())
	}
	c.printFlags(&out, "\nFlags:\n", func(name string) bool { return link.Lookup(name) == nil })
	c.printFlags(&out, "\nThe server:\n", func(name string) bool { return link.Lookup(name) != nil })
	if len(c.Examples) > 0 {
		fmt.Fprintf(&out, "\nExamples:\n  %s\n", strings.Join(c.Examples, "\n  "))
	}
	return out.String()
}

func (c *Command) printFlags(out io.Writer, title string, wanted func(name string) bool) {
	for _, f := range c.flags() {
		if wanted(f.name) {
			fmt.Fprintf(out, "%s  %-22s %s\n", title, f.call(), f.text)
			title = ""
		}
	}
}

// List names all commands with their summaries.
func List() string {
	var out strings.Builder
	group := ""
	for _, c := range table {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&out, "%s:\n", group)
		}
		fmt.Fprintf(&out, "  %-14s %s\n", c.Name, c.Summary)
	}
	return out.String()
}
