package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/client"
)

// policy is the command of that name. Its first word says what to do with the policies that are set at
// run time. Their text is changed here, and so keeps comments and whatever this program does not know.
type policy struct{}

var policyActs = map[string]func(c *call, s *client.Client, p *client.Policies) (text string, err error){
	"set": setPolicy, "remove": removePolicy, "load": loadPolicies, "edit": editPolicies, "text": nil, "list": nil,
}

func (a *policy) run(c *call) error {
	word, err := c.act("list", slices.Sorted(maps.Keys(policyActs))...)
	if err != nil {
		return err
	}
	if c.json && word != "list" {
		return usagef("-json is for list")
	}
	return c.withServer(func(s *client.Client) error {
		if word == "list" && len(c.words) == 1 {
			return a.one(c, s, c.words[0]) // for which fewer rights are enough
		}
		p, err := s.Policies()
		if err != nil {
			return err
		}
		switch word {
		case "list":
			return a.list(c, &p)
		case "text":
			_, err = io.WriteString(c.Stdout, p.Text)
			return err
		}
		text, err := policyActs[word](c, s, &p)
		if err != nil {
			return err
		}
		return c.applyPolicies(s, text, p.Version)
	})
}

// applyPolicies sends a text, and says what has changed.
func (c *call) applyPolicies(s *client.Client, text, version string) error {
	d, err := s.SetPolicies(text, version)
	if refused := new(client.ErrPolicies); errors.As(err, refused) {
		return errors.New(c.inWords(refused.Reason, strings.Split(text, "\n")))
	}
	if err != nil {
		return err
	}
	kept := ""
	if d.Get("kept") != "true" {
		kept = "; without a data directory this holds until the server ends"
	}
	_, err = fmt.Fprintf(c.Stdout, "%s%s\n", d.Get("changes"), kept)
	return err
}

// inLine is how the server says which line of a text is wrong: its number, the key and the value.
var inLine = regexp.MustCompile(`(?m)^policies:(\d+)(?:: \w+\.(\w+) = (?:"(?:\\.|[^"\\])*"|[^":\n]*))?(: |$)`)

// inWords has the server's reasons name the word of the command line that is wrong, and not the line of the text
// that was made with it.
func (c *call) inWords(reason string, lines []string) string {
	return inLine.ReplaceAllStringFunc(reason, func(where string) string {
		m := inLine.FindStringSubmatch(where)
		n, _ := strconv.Atoi(m[1])
		for _, word := range c.words {
			key, value, set := strings.Cut(word, "=")
			if set && key == m[2] && n <= len(lines) && slices.Contains([]string{literal(value), written(value)},
				strings.TrimPrefix(lines[n-1], key+" = ")) {
				return word + m[3]
			}
		}
		return strings.Replace(where, "policies:"+m[1], "line "+m[1]+" of the policies", 1)
	})
}

// loadPolicies reads a whole text.
func loadPolicies(c *call, _ *client.Client, _ *client.Policies) (string, error) {
	if len(c.words) != 1 {
		return "", usagef("name a file; - is standard input")
	}
	f, err := c.open(c.words[0])
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

// editPolicies lets somebody edit the text.
func editPolicies(c *call, _ *client.Client, p *client.Policies) (text string, err error) {
	if err := c.noWords(); err != nil {
		return "", err
	}
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if e := os.Getenv(name); e != "" {
			editor = e
		}
	}
	f, err := os.CreateTemp("", "beanfield-policies-*.toml")
	if err != nil {
		return "", err
	}
	path := f.Name()
	_, err = f.WriteString(p.Text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	run := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	run.Stdin, run.Stdout, run.Stderr = c.Stdin, c.Stdout, c.Stderr
	if err := run.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", editor, errors.Join(err, os.Remove(path)))
	}
	b, err := os.ReadFile(path)
	return string(b), errors.Join(err, os.Remove(path))
}

// setPolicy changes some keys of one policy. One that is new begins as that of the file with the same
// pattern, and stands before the first whose pattern covers its own.
func setPolicy(c *call, _ *client.Client, p *client.Policies) (string, error) {
	if len(c.words) < 2 {
		return "", usagef("name a PATTERN, in quotes, and KEY=VALUE")
	}
	pattern := c.words[0]
	tables, i, err := findTable(p.Text, matchOf, pattern)
	if err != nil {
		return "", err
	}
	if i < 0 {
		t := "[[tube]]\nmatch = " + literal(pattern) + "\n"
		for _, d := range p.List {
			if d.Get("match") == pattern {
				for _, f := range d {
					if !slices.Contains([]string{"match", "from", "line", "hidden-by"}, f.Key) {
						t = setKey(t, f.Key, literal(f.Value))
					}
				}
			}
		}
		i = slices.IndexFunc(tables, func(t string) bool {
			return matchOf(t) != "" && access.Match(matchOf(t), pattern)
		})
		if i < 0 {
			i = len(tables)
		}
		tables = slices.Insert(tables, i, t)
	}
	tables[i], err = setKeys(tables[i], c.words[1:], func(_, value string) string { return literal(value) })
	return strings.Join(tables, ""), err
}

// setKeys gives keys of a table values, as words say, in the form that write gives them.
func setKeys(table string, words []string, write func(key, value string) string) (string, error) {
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || !plainKey.MatchString(key) {
			return "", usagef("%q is not KEY=VALUE", w)
		}
		if value != "" {
			value = write(key, value)
		}
		table = setKey(table, key, value)
	}
	return table, nil
}

func removePolicy(c *call, _ *client.Client, p *client.Policies) (string, error) {
	if len(c.words) != 1 {
		return "", usagef("name one PATTERN, in quotes")
	}
	return withoutTable(p.Text, matchOf, c.words[0], missingf("no policy with the pattern %s was set at run time",
		c.words[0]))
}

// findTable cuts a text, and finds the table of a name; i is -1 if there is none.
func findTable(text string, nameOf func(table string) string, name string) (tables []string, i int, err error) {
	tables, err = cutTables(text)
	return tables, slices.IndexFunc(tables, func(t string) bool { return nameOf(t) == name }), err
}

// withoutTable is a text without the table of a name. If there is none, it returns absent.
func withoutTable(text string, nameOf func(table string) string, name string, absent error) (string, error) {
	tables, i, err := findTable(text, nameOf, name)
	switch {
	case err != nil:
		return "", err
	case i < 0:
		return "", absent
	}
	return strings.Join(slices.Delete(tables, i, i+1), ""), nil
}

var (
	plainKey = regexp.MustCompile(`^[a-z0-9_]+$`)
	aHeader  = regexp.MustCompile(`(?m)^[ \t]*\[`)
	aMatch   = regexp.MustCompile(`(?m)^[ \t]*match[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^']*)')`)
	aNumber  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	aName    = regexp.MustCompile(`(?m)^[ \t]*name[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^']*)')`)
	aTable   = regexp.MustCompile(`(?m)^[ \t]*(tube|schedule)[ \t]*=[ \t]*\[`)
)

// cutTables cuts a text before each header of a table. Together the pieces are the text.
func cutTables(text string) (tables []string, err error) {
	if aTable.MatchString(text) {
		return nil, errors.New("the tables that were set are not written as [[tube]] and [[schedule]]: use " +
			"beanfield policy edit")
	}
	if strings.Contains(text, `"""`) || strings.Contains(text, "'''") {
		return nil, errors.New("what was set has a value that goes over several lines: use beanfield policy edit")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	from := 0
	for _, at := range aHeader.FindAllStringIndex(text, -1) {
		if at[0] > from {
			tables = append(tables, text[from:at[0]])
		}
		from = at[0]
	}
	if from < len(text) {
		tables = append(tables, text[from:])
	}
	return tables, nil
}

// matchOf is the pattern of a [[tube]], or "".
func matchOf(table string) string { return keyOf(table, "[[tube]]", aMatch) }

// nameOf is the name of a [[schedule]], or "".
func nameOf(table string) string { return keyOf(table, "[[schedule]]", aName) }

// keyOf is what a key of a table is, if the table has this header.
func keyOf(table, header string, key *regexp.Regexp) string {
	m := key.FindStringSubmatch(table)
	if m == nil || !strings.HasPrefix(strings.TrimLeft(table, " \t"), header) {
		return ""
	}
	return m[1] + m[2]
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
		return table[:end] + line + table[end:]
	}
	return table[:at[0]] + line + table[at[1]:]
}

// literal writes a value as TOML does. What is no number, truth value or quoted is text.
func literal(value string) string {
	if aNumber.MatchString(value) || value == "true" || value == "false" || strings.HasPrefix(value, `"`) {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
