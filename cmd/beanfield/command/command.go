package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/datadir"
)

// Program is what the process gives to its commands.
type Program struct {
	Version        string
	Commit         string         // that it was made from
	Formats        map[string]int // the versions of what it writes, by what that is
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Serve runs the server with these flags, and returns the exit code.
	Serve func(flags []string) int
	// Usage is what -h says about running a server.
	Usage string
	// Place reads a configuration file.
	Place func(file string) (Place, error)
}

// Place is where a server is, by its configuration, for those on its machine.
type Place struct {
	Servers       []string // where it listens, as -server has it
	Data, Backups string   // its data directory, and where its backups go; "" if jobs are in memory only
	Cluster       string   // the name of the cluster that it is a node of, if any
	Console       Console  // with an empty address if there is none
}

// usualConfig is where packages put the configuration.
const usualConfig = "/etc/beanfield/beanfield.toml"

// place reads a configuration file, or the usual one if none is named. If there is none, or says what else may be
// given.
func (c *call) place(config, or string) (Place, error) {
	if config == "" {
		if _, err := os.Stat(usualConfig); err != nil {
			return Place{}, usagef("name the server's configuration with -config, %s", or)
		}
		config = usualConfig
	}
	return c.Place(readable(config))
}

var errInMemory = errors.New("by its configuration the server has no data directory: jobs are kept in memory only")

// placeOnDisk is place for a server that has a data directory.
func (c *call) placeOnDisk(config, or string) (Place, error) {
	at, err := c.place(config, or)
	if err == nil && at.Data == "" {
		err = errInMemory
	}
	return at, err
}

// call is one run of a command.
type call struct {
	*Program
	command *Command
	words   []string // of the command line, without the flags; those of -tube come first
	tubes   []string // of -tube, which may be given several times
	json    bool
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
	a, f := c.flagSet(call)
	var err error
	call.words, err = parse(f, args)
	call.words = append(call.tubes, call.words...)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.Stdout, c.usage())
		return codeDone
	case err != nil:
		err = usageError{misspelt(err, f)}
	case c.Args == "":
		if err = call.noWords(); err == nil {
			err = a.run(call)
		}
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

// act takes the word that says what to do, one of those known, from the words. Without one it is the usual one.
func (c *call) act(usual string, known ...string) (string, error) {
	at := len(c.tubes)
	if len(c.words) == at {
		return usual, nil
	}
	word := c.words[at]
	if !slices.Contains(known, word) {
		return "", usageError{fmt.Errorf("what is %q?%s", word, Suggestion(word, known))}
	}
	c.words = slices.Delete(c.words, at, at+1)
	return word, nil
}

// noWords is what an action without arguments begins with.
func (c *call) noWords() error {
	if len(c.words) > 0 {
		return usagef("unknown argument %q", c.words[0])
	}
	return nil
}

// Exit codes; doc.go explains them.
const (
	codeDone    = 0
	codeFailed  = 1
	codeUsage   = 2
	codeMissing = 3
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, values ...any) error {
	return usageError{fmt.Errorf(format, values...)}
}

// missingError says that something was not there.
type missingError struct{ what string }

func (e missingError) Error() string { return e.what }

func missingf(format string, values ...any) error {
	return missingError{fmt.Sprintf(format, values...)}
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return codeDone
	case errors.As(err, new(usageError)):
		return codeUsage
	case errors.As(err, new(missingError)), errors.Is(err, datadir.ErrIncomplete):
		return codeMissing
	}
	return codeFailed
}
