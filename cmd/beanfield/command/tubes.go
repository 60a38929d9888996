package command

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"beanfield/conn/beanstalk/client"
)

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
