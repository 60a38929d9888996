package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// form says which strings a server quotes in stats, stats-job and stats-tube:
// the words of beanfield's stats.quote_strings. The reference quotes none.
type form string

const (
	never  form = "never"
	always form = "always"
	needed form = "needed"
	unset  form = "unset" // no configuration at all, which must be as needed
)

// formsOf are the forms that a whole run compares, and that seeds use in turn.
var formsOf = []form{never, always, needed}

// of is how a server of this form writes a string.
func (f form) of(text string) string {
	if f == always || f != never && misleading(text) {
		return `"` + text + `"`
	}
	return text
}

// misleading says whether a YAML reader takes a string for something else. It
// knows those that occur here and no others, so that it does not repeat what it
// checks: the tubes' names in the table, and what a kernel calls itself.
func misleading(text string) bool {
	return misleadingNames[text] || misleadingForms.MatchString(text)
}

var misleadingNames = map[string]bool{
	"n": true, "y": true, "true": true, "NO": true, "on": true, "null": true, "0x1": true, "0b1": true, "1_000": true,
	".inf": true, ".nan": true, "2001-01-01": true, "+.5": true,
}

// misleadingForms are comments, and numbers: also a container's name may be one.
var misleadingForms = regexp.MustCompile(`^(#.*|[0-9.]+(e[0-9]+)?)$`)

// formed are the values that have a form, by the reply that they stand in.
var formed = map[string]map[string]bool{
	"stats":      {"hostname": true, "os": true, "platform": true},
	"stats-tube": {"name": true},
	"stats-job":  {"tube": true},
}

// configure writes the configuration of each form, and returns the commands, which begin with one. All
// spread tubes over several shards also on a machine with few cores.
func configure(dir string, command []string) (map[form][]string, error) {
	commands := map[form][]string{unset: command}
	for _, f := range formsOf {
		path := filepath.Join(dir, string(f)+".toml")
		if err := os.WriteFile(path, fmt.Appendf(nil, "shards = 4\n\n[stats]\nquote_strings = %q\n", f),
			0o600); err != nil {
			return nil, err
		}
		commands[f] = slices.Concat(command, []string{"-config", path})
	}
	return commands, nil
}
