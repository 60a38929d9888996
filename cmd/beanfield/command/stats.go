package command

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"beanfield/cmd/beanfield/client"
)

// stats is the command of that name.
type stats struct {
	tube string
	job  uint64
	json bool
}

func (a *stats) flags(f *flag.FlagSet) {
	f.StringVar(&a.tube, "tube", "", "the stats of this `tube`, not of the server")
	f.Uint64Var(&a.job, "job", 0, "the stats of the job with this `id`")
	f.BoolVar(&a.json, "json", false, "print one object of JSON")
}

func (a *stats) run(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	question, of := "stats", "the server"
	switch {
	case a.tube != "" && a.job != 0:
		return usagef("-tube and -job cannot be combined")
	case a.tube != "":
		if err := checkTube(a.tube); err != nil {
			return err
		}
		question, of = "stats-tube "+a.tube, "tube "+a.tube
	case a.job != 0:
		question, of = fmt.Sprintf("stats-job %d", a.job), fmt.Sprintf("job %d", a.job)
	}
	return c.withServer(func(s *client.Client) error {
		d, err := s.Stats(question)
		if err != nil {
			return notThere(err, of)
		}
		if a.json {
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

// isGone says whether an error is the reply NOT_FOUND.
func isGone(err error) bool {
	var refused client.Refused
	return errors.As(err, &refused) && refused.Word == "NOT_FOUND"
}

// notThere names what was not found.
func notThere(err error, what string) error {
	if isGone(err) {
		return missingf("there is no %s", what)
	}
	return err
}
