package command

import (
	"flag"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/client"
)

// stateList are the states of jobs that a command is for.
type stateList []string

func (l *stateList) String() string { return strings.Join(*l, ",") }

func (l *stateList) Set(text string) error {
	*l = nil
	for _, s := range strings.Split(text, ",") {
		if !slices.Contains([]string{ready, delayed, buried}, s) {
			return usagef("%q is not a state: want ready, delayed or buried", s)
		}
		*l = append(*l, s)
	}
	return nil
}

// sweep is what purge and move have in common: they take the jobs of a tube one by one,
// but no more than there were at the start, so that they end while others put.
type sweep struct {
	states stateList
	most   uint64
	json   bool
}

func (a *sweep) flags(f *flag.FlagSet) {
	a.states = stateList{ready, delayed, buried}
	f.Var(&a.states, "state", "only jobs in these `states`")
	f.Uint64Var(&a.most, "n", 0, "stop after this `number` of jobs; 0: take all")
	f.BoolVar(&a.json, "json", false, "print the count as an object of JSON")
}

// each calls take until it has dealt with as many jobs as there were, or finds none.
func (a *sweep) each(c *call, d client.Document, what string, take func(state string) (found bool, err error)) (n uint64, err error) {
	total := uint64(0)
	for _, state := range a.states {
		total += uint64(d.Number("current-jobs-" + state))
	}
	if a.most > 0 {
		total = min(total, a.most)
	}
	show := c.progress(what, int(total))
	defer show.done()
	for _, state := range a.states {
		for range d.Number("current-jobs-" + state) {
			if n == total {
				return n, nil
			}
			found, err := take(state)
			if err != nil {
				return n, err
			}
			if !found {
				break
			}
			n++
			show.set(int(n))
		}
	}
	return n, nil
}

// purge is the command of that name.
type purge struct{ sweep }

func (a *purge) run(c *call) error {
	if len(c.words) != 1 {
		return usagef("name one tube")
	}
	return c.onTube(c.words[0], func(s *client.Client, d client.Document) error {
		if err := use(s, c.words[0]); err != nil {
			return err
		}
		n, err := a.each(c, d, "purge", func(state string) (bool, error) { return deleteNext(s, state) })
		return c.counted("purged", n, a.json, err)
	})
}

// tries is how often to look for a job again if somebody else was quicker to take it.
const tries = 1000

// deleteNext deletes the next job of the used tube. A worker may take it first.
func deleteNext(s *client.Client, state string) (found bool, err error) {
	for range tries {
		r, err := s.Ask("peek-" + state)
		if err != nil || r.Word == "NOT_FOUND" {
			return false, err
		}
		if err := r.Want("FOUND"); err != nil {
			return false, err
		}
		if r, err = s.Askf("delete %d", r.Number); err != nil {
			return false, err
		}
		if r.Word != "NOT_FOUND" {
			return true, r.Want("DELETED")
		}
	}
	return false, nil
}
