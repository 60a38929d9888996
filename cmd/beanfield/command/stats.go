package command

import (
	"encoding/json"
	"fmt"
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
