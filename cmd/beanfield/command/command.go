package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
)

// A Command is one row of the table.
type Command struct {
	Name     string
	Args     string // what follows the flags, as "[BODY...]"
	Summary  string // one line, without a full stop
	Help     string // what one has to know before using it
	Examples []string
	Group    string

	remote bool // it speaks to a server, so it has the flags of a connection
	make   func() action
}

// action is a command with its flags, which are its fields.
type action interface {
	flags(f *flag.FlagSet)
	run(c *call) error
}

// plain is an action without flags. Those that look into the table are types: a function would close a circle.
type plain func(c *call) error

func (plain) flags(*flag.FlagSet)  {}
func (do plain) run(c *call) error { return do(c) }

// Program is what the process gives to its commands.
type Program struct {
	Version        string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Serve runs the server with these flags, and returns the exit code.
	Serve func(flags []string) int
	// Usage is what -h says about running a server.
	Usage string
	// Backups reads a configuration file: the data directory, and where its backups go.
	Backups func(file string) (data, backups string, err error)
	// Console reads a configuration file: where the server's console is.
	Console func(file string) (Console, error)
	// Node reads a configuration file: the name of the cluster, and the data directory of this node.
	Node func(file string) (cluster, data string, err error)
}

// call is one run of a command.
type call struct {
	*Program
	command *Command
	words   []string // of the command line, without the flags
	link    link
}

// Find returns the command with this name, or nil.
func Find(name string) *Command {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// All are the commands in the order in which they are listed.
func All() []Command { return table }

// Unknown complains about a word where the name of a command should be, and returns the
// exit code.
func (p *Program) Unknown(word string) int {
	fmt.Fprintf(p.Stderr, "beanfield: there is no command %q%s\n"+
		"Use: beanfield COMMAND [ARGUMENTS], or beanfield [OPTIONS] to run the server\n"+
		"beanfield help lists the commands.\n", word, Suggestion(word, names()))
	return codeUsage
}

// Run runs a command, and returns the exit code.
func (p *Program) Run(c *Command, args []string) int {
	if c.Name == checkConfig {
		return p.checkConfig(args)
	}
	call := &call{Program: p, command: c}
	a := c.make()
	f := c.flagSet(a, &call.link)
	var err error
	call.words, err = parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.Stdout, c.usage())
		return codeDone
	case err != nil:
		err = usageError{misspelt(err, f)}
	default:
		err = a.run(call)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "beanfield %s: %v\n", c.Name, err)
	}
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(p.Stderr, "Use: %s\nbeanfield help %s tells more.\n", c.line(), c.Name)
	}
	return exitCode(err)
}

// flagSet has the flags of an action, and of the connection if it needs one.
func (c *Command) flagSet(a action, l *link) *flag.FlagSet {
	f := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	a.flags(f)
	if c.remote {
		l.flags(f)
	}
	return f
}

// parse reads flags and words in any order. After "--" everything is a word.
func parse(f *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		rest := f.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(words, rest...), nil
		}
		if len(rest) == 0 {
			return words, nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// misspelt adds to an error about an unknown flag which one may be meant.
func misspelt(err error, f *flag.FlagSet) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var all []string
	f.VisitAll(func(known *flag.Flag) { all = append(all, "-"+known.Name) })
	return fmt.Errorf("%w%s", err, Suggestion("-"+name, all))
}

// logger is for what packages of the server report while a command uses them.
func (c *call) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// pattern is the argument of an action that may have a pattern. If other values are not good, or
// says what they may be.
func (c *call) pattern(good bool, or string) (string, error) {
	if len(c.words) > 1 {
		return "", usagef("name one PATTERN, in quotes")
	}
	pattern := append(c.words, "*")[0]
	if _, err := path.Match(pattern, ""); err != nil || !good {
		return "", usagef("%q is not a pattern%s", pattern, or)
	}
	return pattern, nil
}

// noWords is what an action without arguments begins with.
func (c *call) noWords() error {
	if len(c.words) > 0 {
		return usagef("unknown argument %q", c.words[0])
	}
	return nil
}
