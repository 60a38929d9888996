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
	var damaged damagedError
	err := askEach(s, slices.Values(ids), func(_ uint64, r []client.Reply) error {
		if r[0].Word == "NOT_FOUND" || r[1].Word == "NOT_FOUND" {
			return nil
		}
		var j job
		err := j.describe(r[0])
		switch {
		case err != nil:
		case r[1].Word == unreadable:
			damaged = append(damaged, j)
		case r[1].Word != "FOUND":
			err = r[1].Want("FOUND")
		default:
			j.setBody(r[1].Body)
			err = each(&j)
		}
		return err
	}, "stats-job %d", "peek %d")
	if err != nil || len(damaged) == 0 {
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
		fmt.Fprintf(&b, "job %d (tube %s, %s) is damaged: the server cannot read its body (%s)", j.ID, j.Tube, j.State,
			unreadable)
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
