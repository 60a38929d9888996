package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"beanfield/conn/beanstalk/client"
)

// stats is the command of that name.
type stats struct {
	Tube tubeName `flag:"tube the stats of this <tube>, even if its name is a number"`
	Job  jobID    `flag:"job the stats of the job with this <id>"`
}

func (a *stats) run(c *call) error {
	question, hint, err := a.question(c)
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		d, err := s.Stats(question)
		if isGone(err) && a.Job != 0 {
			err = missingf("there is no job %d%s", a.Job, hint)
			if s.hides() {
				err = s.lacks("%w, or WHO may not see stats there", err)
			}
		}
		if err != nil {
			return err
		}
		if c.json {
			return json.NewEncoder(c.Stdout).Encode(d)
		}
		for _, f := range d {
			if _, err := fmt.Fprintf(c.Stdout, "%s: %s\n", f.Key, f.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// question is the command for the server, and what to try if there is no such job.
func (a *stats) question(c *call) (question, hint string, err error) {
	if err := a.Tube.take(c); err != nil {
		return "", "", err
	}
	if len(c.words) == 1 && a.Tube == "" && a.Job == 0 {
		err = a.Job.Set(c.words[0])
		hint = "; -tube " + c.words[0] + " asks for a tube with that name"
		c.words = nil
	}
	switch {
	case len(c.words) > 0 || a.Tube != "" && a.Job != 0:
		return "", "", usagef("name one tube or one job")
	case a.Tube != "":
		return "stats-tube " + string(a.Tube), "", nil
	case a.Job != 0:
		return fmt.Sprintf("stats-job %d", a.Job), hint, nil
	}
	return "stats", "", err
}

// tubes is the command of that name.
type tubes struct {
	Names bool `flag:"names print only the names"`
}

func (a *tubes) run(c *call) error {
	pattern, err := c.pattern(true, "")
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		names, err := s.matching(pattern)
		switch {
		case err != nil:
			return err
		case len(names) == 0 && s.hides():
			return s.lacks("no tube matches %s, or WHO may do nothing there", pattern)
		case len(names) == 0:
			return missingf("no tube matches %s", pattern)
		case a.Names:
			_, err = fmt.Fprintln(c.Stdout, strings.Join(names, "\n"))
			return err
		}
		all, err := s.tubeStats(names)
		if err == nil && len(all) == 0 {
			_, err = s.Stats("stats-tube " + names[0])
		}
		if err != nil {
			return err
		}
		return c.table(all, true, "ready=current-jobs-ready reserved=current-jobs-reserved delayed=current-jobs-delayed "+
			"buried=current-jobs-buried waiting=current-waiting paused=paused tube=name")
	})
}

// matches matches a tube with a pattern, as names of files are matched, but a slash is a
// character like any other.
func matches(pattern, tube string) bool {
	flat := func(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
	ok, _ := path.Match(flat(pattern), flat(tube))
	return ok
}

// matching lists the tubes that match a pattern, by name.
func (s *server) matching(pattern string) ([]string, error) {
	names, err := s.Tubes()
	names = slices.DeleteFunc(names, func(n string) bool { return !matches(pattern, n) })
	slices.Sort(names)
	return names, err
}

// tubeStats asks for the stats of tubes. One that is gone meanwhile is left out.
func (s *server) tubeStats(names []string) (all []client.Document, err error) {
	err = s.Each(func(yield func(string) bool) {
		for i := 0; i < len(names) && yield("stats-tube "+names[i]); i++ {
		}
	}, func(_ int, r client.Reply) error {
		if r.Word == "NOT_FOUND" {
			return nil
		}
		if err := r.Want("OK"); err != nil {
			return err
		}
		d, err := client.ParseDocument(r.Body)
		all = append(all, d)
		return err
	})
	return all, err
}

// sheet is a table for people.
type sheet struct {
	*tabwriter.Writer
	right bool // numbers stand below each other, and a name follows them
}

// newSheet begins one with the titles of its columns.
func newSheet(out io.Writer, right bool, titles ...any) sheet {
	flags := uint(0)
	if right {
		flags = tabwriter.AlignRight
	}
	t := sheet{tabwriter.NewWriter(out, 0, 0, 2, ' ', flags), right}
	if len(titles) > 0 {
		t.row(titles...)
	}
	return t
}

// row adds a line; Flush sees the error.
func (t sheet) row(cells ...any) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("\t")
		}
		if t.right && i == len(cells)-1 {
			line.WriteString("  ")
		}
		fmt.Fprint(&line, cell)
	}
	fmt.Fprintln(t, line.String())
}

// table prints documents: as lines of JSON, or as a sheet. A column is a title and the key of what stands below it:
// "last_tick=last-tick jobs=jobs".
func (c *call) table(list []client.Document, right bool, columns string) error {
	out := bufio.NewWriter(c.Stdout)
	if c.json {
		return errors.Join(encodeAll(out, list), out.Flush())
	}
	var titles []any
	var keys []string
	for column := range strings.FieldsSeq(columns) {
		title, key, _ := strings.Cut(column, "=")
		titles, keys = append(titles, strings.ReplaceAll(title, "_", " ")), append(keys, key)
	}
	t := newSheet(out, right, titles...)
	for _, d := range list {
		cells := make([]any, len(keys))
		for i, key := range keys {
			if cells[i] = cmp.Or(d.Get(key), "-"); key == paused {
				cells[i] = pausedFor(d)
			}
		}
		t.row(cells...)
	}
	return errors.Join(t.Flush(), out.Flush())
}

// paused is a key of no document: for how long a tube still is.
const paused = "paused"

func pausedFor(d client.Document) string {
	if d.Number("pause") == 0 {
		return "-"
	}
	return d.Get("pause-time-left") + "s"
}
