package command

import (
	"fmt"
	"strconv"

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
	r, err := s.Put(putLine(terms{delay: hidden, ttr: 1}, 0), nil)
	if err == nil {
		err = r.Want("INSERTED")
	}
	if err != nil {
		return 0, fmt.Errorf("cannot learn the highest id: %w", err)
	}
	deleted, err := s.Askf("delete %d", r.Number)
	if err == nil {
		err = deleted.Want("DELETED")
	}
	return r.Number, err
}

// survey asks, many at a time, where the jobs with these ids are, and calls each with
// those that exist, without bodies.
func survey(s *client.Client, ids func(yield func(uint64) bool), each func(*job) error) error {
	var j job
	pipe := s.Pipe(func(r client.Reply) error {
		if r.Word == "NOT_FOUND" {
			return nil
		}
		err := r.Want("OK")
		if err == nil {
			err = j.describe(r)
		}
		if err != nil || j.State == "invalid" { // whose body is still arriving
			return err
		}
		return each(&j)
	})
	for id := range ids {
		if err := pipe.Send("stats-job " + strconv.FormatUint(id, 10)); err != nil {
			return err
		}
	}
	return pipe.Flush()
}
