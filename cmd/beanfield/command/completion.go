package command

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
