package command

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/manual"
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

// man is the manual page, in the language of troff: what help says, on one page. The
// packages have it.
func (p *Program) man() string {
	var m page1
	m.linef(`.TH BEANFIELD 1 "" "beanfield %s" "User Commands"`, quotedRoff(p.Version))
	m.section("NAME", "beanfield - work queue that every beanstalkd client can use")
	m.linef(".SH SYNOPSIS")
	m.linef(".B beanfield")
	m.linef(".RI [ OPTIONS ]")
	m.linef(".br")
	m.linef(".B beanfield")
	m.linef(".I COMMAND")
	m.linef(".RI [ ARGUMENTS ]")
	m.section("DESCRIPTION", `
beanfield is a work queue server. Clients and flags of beanstalkd work unchanged. It uses every
core of the machine, and keeps jobs in memory or on disk.

Without a command it runs the server. With one it works with a server, or with a data directory.
beanfield help TOPIC prints a page of the manual.`)
	m.server(p.Usage)
	m.linef(".SH COMMANDS")
	for i := range table {
		m.command(&table[i])
	}
	m.linef(".SH TOPICS")
	for _, t := range manual.Topics {
		m.item("beanfield help "+t.Name, t.Summary)
	}
	m.section("SIGNALS", `
SIGTERM and SIGINT stop the server cleanly. SIGUSR1 makes it refuse new jobs. SIGUSR2 makes a
backup. SIGHUP makes it read its configuration and its certificates again.`)
	m.section("EXIT STATUS", `
The server: 0 after a clean stop, 1 if it ended by itself, 5 for a wrong flag or a mistake in the
configuration, 10 if the data directory is missing, in use, of a newer version, or not beanfield's, 32 to 34 if it
cannot become its user, 111 if an address cannot be bound.

Commands: 0 if everything was done, 1 if something failed, 2 for wrong usage, 3 if something was
not there.`)
	m.linef(".SH FILES")
	m.item("/etc/beanfield/beanfield.toml", "the configuration of the packaged service")
	m.item("/usr/share/doc/beanfield/examples/config.example.toml", "every setting, with its default and its reason")
	m.section("SEE ALSO", "beanstalkd(1)")
	return m.String()
}

// page1 is a page for section 1 of the manual.
type page1 struct{ strings.Builder }

func (m *page1) linef(format string, values ...any) { fmt.Fprintf(m, format+"\n", values...) }

// section is a heading and paragraphs.
func (m *page1) section(title, text string) {
	m.linef(".SH %s", title)
	m.paragraphs(text)
}

func (m *page1) paragraphs(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			m.linef(".PP")
		}
		m.linef("%s", roff(paragraph))
	}
}

// item is a term, and what it means.
func (m *page1) item(term, text string) {
	m.linef(".TP\n.B %s\n%s", roff(term), roff(text))
}

// usageFlag is a flag in the server's usage: the flag with its value, and what it means.
var usageFlag = regexp.MustCompile(`^ (-[\w-]+(?:, -\w)?(?: [A-Z][A-Z:]*)?) +(\S.*)$`)

// server turns the usage text of the server, up to the list of commands, into options.
func (m *page1) server(usage string) {
	m.linef(".SH OPTIONS")
	var term, text string
	end := func() {
		if term != "" {
			m.item(term, text)
		}
		term, text = "", ""
	}
	flags, _, _ := strings.Cut(usage, "\nWithout a command ")
	for i, line := range strings.Split(flags, "\n") {
		found := usageFlag.FindStringSubmatch(line)
		switch {
		case i == 0:
		case found != nil:
			end()
			term, text = found[1], found[2]
		case strings.HasPrefix(line, "  ") && term != "":
			text += " " + strings.TrimSpace(line)
		case strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " "):
			end()
			m.linef(".SS %s", roff(strings.TrimSuffix(line, ":")))
		}
	}
	end()
}

// command is what beanfield help COMMAND says.
func (m *page1) command(c *Command) {
	m.linef(".SS %s", roff(c.line()))
	m.paragraphs(c.Summary + ".\n\n" + c.Help)
	for _, f := range c.flags() {
		m.item(f.call(), f.text)
	}
	if len(c.Examples) > 0 {
		m.linef(".PP\nExamples:\n.RS\n.nf\n%s\n.fi\n.RE", roff(strings.Join(c.Examples, "\n")))
	}
}

// roff is text in which nothing is a request: what begins a line with a dot or a quote, and
// hyphens, which troff would make typographic.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quotedRoff is text inside an argument in quotation marks.
func quotedRoff(text string) string { return strings.ReplaceAll(roff(text), `"`, `\(dq`) }

// completion is the command of that name. Its scripts have all words in them: completing
// starts no process.
type completion struct{}

func (*completion) run(c *call) error {
	if len(c.words) != 1 {
		return usagef("name one shell: bash, zsh or fish")
	}
	switch shell := c.words[0]; shell {
	case "bash", "zsh":
		return script(c.Stdout, shell, flagsIn(c.Usage))
	case "fish":
		return fish(c.Stdout, flagsIn(c.Usage))
	default:
		return usagef("no completion for %q: there is one for bash, zsh and fish", shell)
	}
}

// flagsIn finds the flags of the server in its usage text.
func flagsIn(usage string) (flags []string) {
	for _, m := range regexp.MustCompile(`(?m)^ (-[\w-]+)(?:, (-\w))?`).FindAllStringSubmatch(usage, -1) {
		for _, f := range m[1:] {
			if f != "" {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// choices are the words that may follow a command: its flags, or what it is told.
func choices(c *Command) (words []string) {
	for _, f := range c.flags() {
		words = append(words, "-"+f.name)
	}
	switch c.Name {
	case "help":
		words = append(words, topics()...)
	case "completion":
		words = append(words, "bash", "zsh", "fish")
	case "cluster":
		words = append(words, slices.Sorted(maps.Keys(clusterActs))...)
	}
	return words
}

func names() (all []string) {
	for _, c := range table {
		all = append(all, c.Name)
	}
	return all
}

// script is that of a shell in which each command that has words to follow it is a case.
func script(out io.Writer, shell string, server []string) error {
	var rows strings.Builder
	for i := range table {
		if words := choices(&table[i]); len(words) > 0 {
			fmt.Fprintf(&rows, cased[shell].row, table[i].Name, strings.Join(words, " "))
		}
	}
	_, err := fmt.Fprintf(out, cased[shell].script, strings.Join(append(names(), server...), " "), rows.String(),
		strings.Join(server, " "))
	return err
}

// cased are shells whose script has a case for each command: the script, and such a case.
var cased = map[string]struct{ script, row string }{
	"bash": {`# bash completion for beanfield
_beanfield() {
	local words
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="%s"
	else
		case "${COMP_WORDS[1]}" in
%s		-*) words="%s" ;;
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _beanfield beanfield
`, "\t\t%s) words=\"%s\" ;;\n"},
	"zsh": {`#compdef beanfield
_beanfield() {
	local -a choices
	if (( CURRENT == 2 )); then
		choices=(%s)
	else
		case "$words[2]" in
%s		-*) choices=(%s) ;;
		esac
	fi
	compadd -- $choices
	_files
}
compdef _beanfield beanfield
`, "\t\t%s) choices=(%s) ;;\n"},
}

func fish(out io.Writer, server []string) error {
	var text strings.Builder
	text.WriteString("# fish completion for beanfield\n")
	for _, f := range server {
		fmt.Fprintf(&text, "complete -c beanfield -n __fish_use_subcommand -a %s\n", quoted(f))
	}
	for i := range table {
		c := &table[i]
		fmt.Fprintf(&text, "complete -c beanfield -n __fish_use_subcommand -a %s -d %s\n", c.Name, quoted(c.Summary))
		seen := quoted("__fish_seen_subcommand_from " + c.Name)
		for _, f := range c.flags() {
			about, _, _ := strings.Cut(f.text, " (default ")
			fmt.Fprintf(&text, "complete -c beanfield -n %s -o %s -d %s\n", seen, f.name, quoted(about))
		}
		for _, word := range choices(c) {
			if !strings.HasPrefix(word, "-") {
				fmt.Fprintf(&text, "complete -c beanfield -n %s -a %s\n", seen, word)
			}
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// quoted is text as one word of a shell.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
