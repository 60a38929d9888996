package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/client"
)

// policy is the command of that name. Its first word says what to do with the policies that are set at
// run time.
type policy struct{}

// edits make another text of that of the policies and schedules which are set at run time.
var edits = map[string]func(c *call, p *client.Policies) (text string, err error){
	"set": setPolicy, "load": loadPolicies, "edit": editPolicies,
	"remove": func(c *call, p *client.Policies) (string, error) { return policyTables.remove(c.words, p.Text) },
}

func (a *policy) run(c *call) error {
	word, err := c.act("list", append(slices.Sorted(maps.Keys(edits)), "list", "text")...)
	if err != nil {
		return err
	}
	if c.json && word != "list" {
		return usagef("-json is for list")
	}
	if edit := edits[word]; edit != nil {
		return c.edit(edit)
	}
	return c.withServer(func(s *server) error {
		if word == "list" && len(c.words) == 1 {
			return a.one(c, s, c.words[0]) // for which fewer rights are enough
		}
		p, err := s.Policies()
		if err == nil && word == "text" {
			_, err = io.WriteString(c.Stdout, p.Text)
		} else if err == nil {
			err = a.list(c, &p)
		}
		return err
	})
}

// list shows all policies.
func (a *policy) list(c *call, p *client.Policies) error {
	if err := c.noWords(); err != nil {
		return err
	}
	for _, problem := range p.Problems {
		fmt.Fprintln(c.Stderr, "left out: "+problem)
	}
	return a.show(c, p.List)
}

// one shows the policy that holds for a tube.
func (a *policy) one(c *call, s *server, tube string) error {
	if err := checkTubes(tube); err != nil {
		return err
	}
	d, err := s.Policy(tube)
	if err != nil {
		return err
	}
	if d.Get("match") == "" {
		return missingf("no policy matches %s", tube)
	}
	return a.show(c, []client.Document{d[1:]})
}

// noSettings are the keys of a policy that the server adds.
var noSettings = []string{"match", "from", "line", "hidden-by"}

func (a *policy) show(c *call, list []client.Document) error {
	if c.json {
		return encodeAll(c.Stdout, list)
	}
	out := newSheet(c.Stdout, false)
	for _, d := range list {
		var text []string
		for _, f := range d {
			switch {
			case f.Key == "hidden-by":
				text = append(text, fmt.Sprintf("(never asked: %s comes first)", f.Value))
			case !slices.Contains(noSettings, f.Key):
				text = append(text, f.Key+"="+f.Value)
			}
		}
		out.row(d.Get("match"), fmt.Sprintf("%s, line %s", d.Get("from"), d.Get("line")), strings.Join(text, " "))
	}
	return out.Flush()
}

// edit changes the text of what is set at run time, and says what has changed.
func (c *call) edit(edit func(c *call, p *client.Policies) (text string, err error)) error {
	return c.withServer(func(s *server) error {
		p, err := s.Policies()
		if err != nil {
			return err
		}
		text, err := edit(c, &p)
		if err != nil {
			return err
		}
		d, err := s.SetPolicies(text, p.Version)
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
	})
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
			if set && key == m[2] && n <= len(lines) &&
				slices.Contains([]string{literal(value), written(value)}, strings.TrimPrefix(lines[n-1], key+" = ")) {
				return word + m[3]
			}
		}
		return strings.Replace(where, "policies:"+m[1], "line "+m[1]+" of the policies", 1)
	})
}

// loadPolicies reads a whole text.
func loadPolicies(c *call, _ *client.Policies) (string, error) {
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
func editPolicies(c *call, p *client.Policies) (string, error) {
	if err := c.noWords(); err != nil {
		return "", err
	}
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if e := os.Getenv(name); e != "" {
			editor = e
		}
	}
	dir, err := os.MkdirTemp("", "beanfield-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "policies.toml")
	run := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	run.Stdin, run.Stdout, run.Stderr = c.Stdin, c.Stdout, c.Stderr
	if err = os.WriteFile(path, []byte(p.Text), 0o600); err == nil {
		if err = run.Run(); err != nil {
			err = fmt.Errorf("%s: %w", editor, err)
		}
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	return string(b), errors.Join(err, os.RemoveAll(dir))
}

// setPolicy changes some keys of one policy. One that is new begins as that of the file with the same
// pattern, and stands before the first whose pattern covers its own.
func setPolicy(c *call, p *client.Policies) (string, error) {
	return policyTables.set(c.words, p.Text, func(t string, tables []string) (string, int) {
		for _, d := range p.List {
			for _, f := range d {
				if d.Get("match") == c.words[0] && !slices.Contains(noSettings, f.Key) {
					t = setKey(t, f.Key, literal(f.Value))
				}
			}
		}
		return t, slices.IndexFunc(tables, func(t string) bool {
			match := policyTables.nameOf(t)
			return match != "" && access.Match(match, c.words[0])
		})
	})
}
