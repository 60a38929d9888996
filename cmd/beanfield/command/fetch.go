package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"beanfield/conn/beanstalk/client"
)

// fetch asks for jobs with their bodies, many at a time. A job that is gone meanwhile is
// left out. So is one whose body the server cannot read: fetch goes on, and ends
// with a damagedError.
func fetch(s *client.Client, ids []uint64, each func(*job) error) error {
	var j job
	var damaged damagedError
	known, replies := false, 0
	pipe := s.Pipe(func(r client.Reply) error {
		replies++
		switch described := replies%2 == 0; {
		case r.Word == "NOT_FOUND":
			known = false
			return nil
		case !described && r.Word == "OK":
			known = true
			return j.describe(r)
		case described && !known:
			return nil
		case described && r.Word == "FOUND":
			j.setBody(r.Body)
			return each(&j)
		case described && r.Word == unreadable:
			damaged = append(damaged, j)
			return nil
		}
		return client.Refused{Word: r.Word}
	})
	if err := sendEach(pipe, slices.Values(ids), "stats-job %d", "peek %d"); err != nil || len(damaged) == 0 {
		return err
	}
	return damaged
}

// unreadable is the server's answer if it knows a job and cannot read its body.
const unreadable = "INTERNAL_ERROR"

func isUnreadable(err error) bool {
	refused := client.Refused{}
	return errors.As(err, &refused) && refused.Word == unreadable
}

// damagedError names the jobs whose bodies the server cannot read.
type damagedError []job

func (e damagedError) Error() string {
	var b strings.Builder
	for i, j := range e {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "job %d (tube %s, %s) is damaged: the server cannot read its body (%s)", j.ID, j.Tube, j.State, unreadable)
	}
	return b.String()
}

// apartFromDamage takes from an error what is said of damaged jobs.
func apartFromDamage(err error) (damagedError, error) {
	var damaged damagedError
	if errors.As(err, &damaged) {
		return damaged, nil
	}
	return nil, err
}
