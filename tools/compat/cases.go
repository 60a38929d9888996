package main

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// The files in cases are the table; cases/README tells how they are written.
//
//go:embed cases/*.txt
var caseFiles embed.FS

// readCases reads a file of cases. A mistake in it is the programmer's.
func readCases(name string) []oddCase {
	var text strings.Builder
	file := template.New(name+".txt").Delims("<<", ">>").Funcs(caseFuncs)
	err := template.Must(file.ParseFS(caseFiles, "cases/"+name+".txt")).Execute(&text, nil)
	cases, wrong := parseCases(text.String())
	if err = errors.Join(err, wrong); err != nil {
		panic(fmt.Sprintf("cases/%s.txt: %v", name, err))
	}
	return cases
}

// caseFuncs are for cases that follow a rule.
var caseFuncs = template.FuncMap{
	"list": func(all ...any) []any { return all },
	"dict": func(pairs ...string) map[string]string {
		all := map[string]string{}
		for pair := range slices.Chunk(pairs, 2) {
			all[pair[0]] = pair[1]
		}
		return all
	},
	"add": func(all ...int) (sum int) {
		for _, n := range all {
			sum += n
		}
		return sum
	},
	"mul": func(a, b int) int { return a * b }, "div": func(a, b int) int { return a / b },
	"mod": func(a, b int) int { return a % b }, "upper": strings.ToUpper, "replace": strings.ReplaceAll,
	"misleading": func() []string {
		return append(slices.Sorted(maps.Keys(misleadingNames)), "1", "017", "1e3", ".", "1.2.3", "10.0.0.1")
	},
}

// after is a question behind an odd line: its answer shows which bytes the odd line has used up.
const after = `list-tube-used\r\n`

// caseReader is what has been read so far.
type caseReader struct {
	cases         []oddCase
	lists         map[string][]string // of texts in which escapes are still to be read
	differs, want string              // of what comes next
}

func parseCases(text string) ([]oddCase, error) {
	r := caseReader{lists: map[string][]string{"after": {after}}}
	for i, line := range strings.Split(text, "\n") {
		if err := r.read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return r.cases, nil
}

func (r *caseReader) read(line string) error {
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "#":
		return nil
	case "":
		r.differs, r.want = "", ""
		return nil
	case "===":
		r.cases = append(r.cases, oddCase{name: rest})
		return nil
	case "@":
		name, values, _ := strings.Cut(rest, " ")
		texts, err := r.quoted(values)
		r.lists[name] = append(r.lists[name], texts...)
		return err
	}
	if len(r.cases) == 0 {
		return errors.New("it stands before the first case")
	}
	c := &r.cases[len(r.cases)-1]
	switch mark {
	case "!":
		if rest == "data" {
			c.data = true
			return nil
		}
		_, err := fmt.Sscanf(rest, "max=%d", &c.maxJob)
		return err
	case "before":
		return r.before(c, rest)
	case "differs:":
		r.differs = rest
		return nil
	case "want:":
		r.want = rest
		return nil
	case "|":
		return r.oddLines(c, rest)
	}
	if r.differs != "" {
		c.script += "differs: " + r.differs + "\nwant: " + r.want + "\n"
		r.differs, r.want = "", ""
	}
	return r.instructions(&c.script, line)
}

// before is a line of the script that prepares the servers, or that whole script of another
// case.
func (r *caseReader) before(c *oddCase, line string) error {
	name, ok := strings.CutPrefix(line, "as ")
	if !ok {
		return r.instructions(&c.before, line)
	}
	for _, other := range r.cases {
		if other.name == name {
			c.before = other.before
			return nil
		}
	}
	return fmt.Errorf("there is no case %s before", name)
}

func (r *caseReader) instructions(script *string, line string) error {
	all, err := r.expand(line)
	for _, line := range all {
		*script += line + "\n"
	}
	return err
}

func (r *caseReader) oddLines(c *oddCase, rest string) error {
	texts, err := r.quoted(rest)
	for _, text := range texts {
		l := line{differs: r.differs}
		var failed [2]error
		l.text, failed[0] = unescape(text)
		l.want, failed[1] = unescape(r.want)
		err = errors.Join(err, failed[0], failed[1])
		c.lines = append(c.lines, l)
	}
	return err
}

// quoted reads texts in quotation marks and expands them.
func (r *caseReader) quoted(rest string) (texts []string, err error) {
	for rest = strings.TrimLeft(rest, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		text, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", rest, err)
		}
		rest = rest[len(text):]
		all, err := r.expand(text[1 : len(text)-1])
		if err != nil {
			return nil, err
		}
		texts = append(texts, all...)
	}
	return texts, nil
}

// placeholder is {abc*3}, for abcabcabc, or {NAME}, for each text of a list.
var placeholder = regexp.MustCompile(`\{(?:([a-z-]+)|([^{}]+)\*([0-9]+))\}`)

// expand fills in placeholders. With lists there are several results, one for each text.
func (r *caseReader) expand(text string) ([]string, error) {
	at := placeholder.FindStringSubmatchIndex(text)
	if at == nil {
		return []string{text}, nil
	}
	var values []string
	if at[2] >= 0 {
		name := text[at[2]:at[3]]
		if values = r.lists[name]; values == nil {
			return nil, fmt.Errorf("there is no list %s", name)
		}
	} else {
		n, err := strconv.Atoi(text[at[6]:at[7]])
		if err != nil {
			return nil, err
		}
		values = []string{strings.Repeat(text[at[4]:at[5]], n)}
	}
	rests, err := r.expand(text[at[1]:])
	var all []string
	for _, v := range values {
		for _, rest := range rests {
			all = append(all, text[:at[0]]+v+rest)
		}
	}
	return all, err
}
