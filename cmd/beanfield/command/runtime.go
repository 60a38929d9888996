package command

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"beanfield/conn/beanstalk/client"
)

// What is set at run time is one text, in TOML. It is changed here as text, and so keeps comments and whatever this
// program does not know.

// tableKind is a kind of table in that text.
type tableKind struct {
	header, key string // the value of the key names a table
	what, one   string // is to be named: for set, and for remove
	absent      string
	write       func(key, value string) string // a value as TOML has it
}

var policyTables = tableKind{
	header: "[[tube]]", key: "match", what: "a PATTERN, in quotes", one: "one PATTERN, in quotes",
	absent: "no policy with the pattern %s was set at run time",
	write:  func(_, value string) string { return literal(value) },
}

var scheduleTables = tableKind{
	header: "[[schedule]]", key: "name", what: "a schedule", one: "one schedule",
	absent: "no schedule %s was set at run time",
	write: func(key, value string) string {
		if key == "pri" {
			return literal(value)
		}
		return written(value)
	},
}

// set changes some keys of one table, as words say: its name, and KEY=VALUE. begin has more keys for a table that is
// new, and the number of that before which it is to stand.
func (k *tableKind) set(words []string, text string,
	begin func(t string, tables []string) (string, int)) (string, error) {
	if len(words) < 2 {
		return "", usagef("name %s, and KEY=VALUE", k.what)
	}
	if strings.ContainsFunc(words[0], func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return "", usagef("%q has characters that no name has", words[0])
	}
	tables, i, err := k.find(text, words[0])
	if err != nil {
		return "", err
	}
	if i < 0 {
		t, at := begin(fmt.Sprintf("%s\n%s = %s\n", k.header, k.key, written(words[0])), tables)
		if i = at; i < 0 {
			i = len(tables)
		}
		tables = slices.Insert(tables, i, t)
	}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok || !plainKey.MatchString(key) {
			return "", usagef("%q is not KEY=VALUE", w)
		}
		if value != "" {
			value = k.write(key, value)
		}
		tables[i] = setKey(tables[i], key, value)
	}
	return strings.Join(tables, ""), nil
}

// remove takes one table out.
func (k *tableKind) remove(words []string, text string) (string, error) {
	if len(words) != 1 {
		return "", usagef("name %s", k.one)
	}
	tables, i, err := k.find(text, words[0])
	if err == nil && i < 0 {
		err = missingf(k.absent, words[0])
	}
	if err != nil {
		return "", err
	}
	return strings.Join(slices.Delete(tables, i, i+1), ""), nil
}

// find cuts a text, and finds the table of a name; i is -1 if there is none.
func (k *tableKind) find(text, name string) (tables []string, i int, err error) {
	tables, err = cutTables(text)
	return tables, slices.IndexFunc(tables, func(t string) bool { return k.nameOf(t) == name }), err
}

// nameOf is the name of a table of this kind, or "".
func (k *tableKind) nameOf(table string) string {
	m := regexp.MustCompile(`(?m)^[ \t]*` + k.key + `[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^']*)')`).FindStringSubmatch(table)
	if m == nil || !strings.HasPrefix(strings.TrimLeft(table, " \t"), k.header) {
		return ""
	}
	return m[1] + m[2]
}

var (
	plainKey = regexp.MustCompile(`^[a-z0-9_]+$`)
	aHeader  = regexp.MustCompile(`(?m)^[ \t]*\[`)
	aNumber  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	aTable   = regexp.MustCompile(`(?m)^[ \t]*(tube|schedule)[ \t]*=[ \t]*\[`)
)

// cutTables cuts a text before each header of a table. Together the pieces are the text.
func cutTables(text string) (tables []string, err error) {
	if aTable.MatchString(text) {
		return nil, errors.New("the tables that were set are not written as [[tube]] and [[schedule]]: " +
			"use beanfield policy edit")
	}
	if strings.Contains(text, `"""`) || strings.Contains(text, "'''") {
		return nil, errors.New("what was set has a value that goes over several lines: use beanfield policy edit")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	from := 0
	for _, at := range append(aHeader.FindAllStringIndex(text, -1), []int{len(text)}) {
		if at[0] > from {
			tables = append(tables, text[from:at[0]])
		}
		from = at[0]
	}
	return tables, nil
}

// setKey gives a key of a table a value, or takes the key out if there is none.
func setKey(table, key, value string) string {
	line := ""
	if value != "" {
		line = key + " = " + value + "\n"
	}
	at := regexp.MustCompile(`(?m)^[ \t]*` + key + `[ \t]*=.*\n`).FindStringIndex(table)
	if at == nil {
		end := len(strings.TrimRight(table, "\n")) + 1
		at = []int{end, end}
	}
	return table[:at[0]] + line + table[at[1]:]
}

// literal writes a value as TOML does. What is no number, truth value or quoted is text.
func literal(value string) string {
	if aNumber.MatchString(value) || value == "true" || value == "false" || strings.HasPrefix(value, `"`) {
		return value
	}
	return written(value)
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

// schedules is the command of that name. Those that are set at run time are in one text with the policies,
// which is changed as the command policy does.
type schedules struct{}

func (*schedules) run(c *call) error {
	word, err := c.act("", "remove", "set")
	switch {
	case err != nil:
		return err
	case word == "":
		return c.withServer(func(s *server) error {
			list, err := s.Schedules()
			if err != nil {
				return err
			}
			return c.table(list, false, "next_tick=next-tick last_tick=last-tick jobs=jobs missed=missed refused=refused "+
				"from=from tube=tube name=name")
		})
	case c.json:
		return usagef("-json is for the list")
	}
	return c.edit(func(c *call, p *client.Policies) (string, error) {
		if word == "remove" {
			return scheduleTables.remove(c.words, p.Text)
		}
		return scheduleTables.set(c.words, p.Text, func(t string, _ []string) (string, int) { return t, -1 })
	})
}
