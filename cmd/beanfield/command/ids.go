package command

import (
	"fmt"
	"iter"

	"beanfield/conn/beanstalk/client"
)

// probeTube gets a job whose id shows how high ids are.
const probeTube = "beanfield.probe"

// newestID is an id above those of all jobs that are there now. The protocol cannot be asked
// for it, and stats count jobs only since the last start. So newestID puts a job into a
// tube of its own, which nobody watches, and deletes it.
func newestID(s *client.Client) (uint64, error) {
	if err := use(s, probeTube); err != nil {
		return 0, err
	}
	r, err := s.Put(putLine(putOptions{Delay: hidden, TTR: 1}, 0), nil)
	if err == nil {
		err = r.Want("INSERTED")
	}
	if err != nil {
		return 0, fmt.Errorf("cannot learn the highest id: %w", err)
	}
	_, err = ask(s, "DELETED", "delete %d", r.Number)
	return r.Number, err
}

// survey asks, many at a time, where the jobs with these ids are, and calls each with
// those that exist, without bodies.
func survey(s *client.Client, ids iter.Seq[uint64], each func(*job) error) error {
	var j job
	return askEach(s, ids, func(_ uint64, r []client.Reply) error {
		if r[0].Word == "NOT_FOUND" {
			return nil
		}
		if err := j.describe(r[0]); err != nil || j.State == "invalid" { // whose body is still arriving
			return err
		}
		return each(&j)
	}, "stats-job %d")
}
