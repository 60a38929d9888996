package command

import (
	"flag"
	"fmt"
	"strings"
)

// line is how a command is called.
func (c *Command) line() string {
	line := "beanfield " + c.Name
	if len(c.Flags()) > 0 {
		line += " [FLAGS]"
	}
	if c.Args != "" {
		line += " " + c.Args
	}
	return line
}

// Flags are the flags of a command, by name.
func (c *Command) Flags() (all []*flag.Flag) {
	if c.make == nil {
		return nil
	}
	c.flagSet(c.make(), new(call)).VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// usage is the text of -h.
func (c *Command) usage() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Use: %s\n\n%s.\n", c.line(), c.Summary)
	if c.Help != "" {
		fmt.Fprintf(&out, "\n%s\n", strings.TrimSpace(c.Help))
	}
	connection := map[string]bool{}
	if c.remote {
		only := flag.NewFlagSet("", flag.ContinueOnError)
		new(link).flags(only)
		only.VisitAll(func(f *flag.Flag) { connection[f.Name] = true })
	}
	c.printFlags(&out, "\nFlags:\n", func(f *flag.Flag) bool { return !connection[f.Name] })
	c.printFlags(&out, "\nThe server:\n", func(f *flag.Flag) bool { return connection[f.Name] })
	for i, e := range c.Examples {
		if i == 0 {
			out.WriteString("\nExamples:\n")
		}
		out.WriteString("  " + e + "\n")
	}
	return out.String()
}

func (c *Command) printFlags(out *strings.Builder, title string, wanted func(*flag.Flag) bool) {
	for _, f := range c.Flags() {
		if !wanted(f) {
			continue
		}
		out.WriteString(title)
		title = ""
		name, text := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + strings.ToUpper(name)
		}
		fmt.Fprintf(out, "  -%-21s %s%s\n", f.Name+name, text, initially(f))
	}
}

// initially shows a flag's default, if it is worth showing.
func initially(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "0s", "[]":
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// groups are the kinds of commands, in the order of the list.
var groups = []string{groupJobs, groupTubes, groupServer, groupData, groupSelf}

const (
	groupJobs   = "Jobs"
	groupTubes  = "Tubes"
	groupServer = "A running server"
	groupData   = "Data directories, without a server"
	groupSelf   = "This program"
)

// List names all commands with their summaries.
func List() string {
	var out strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&out, "%s:\n", g)
		for _, c := range table {
			if c.Group == g {
				fmt.Fprintf(&out, "  %-14s %s\n", c.Name, c.Summary)
			}
		}
	}
	return out.String()
}
