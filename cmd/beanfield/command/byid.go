package command

import (
	"errors"
	"fmt"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// deleteJobs is the command delete.
func deleteJobs(c *call) error {
	return c.forEach("delete %d", "DELETED", "delete", ready, delayed, buried)
}

// forEach sends a command for each job that the command line names, many at a time. It is to do something with jobs
// in these states.
func (c *call) forEach(format, success, to string, states ...string) error {
	all, err := ids(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *client.Client) error {
		var gone []uint64
		var refused error
		err := askEach(s, slices.Values(all), func(id uint64, r []client.Reply) error {
			if r[0].Word == "NOT_FOUND" {
				gone = append(gone, id)
			} else if err := r[0].Want(success); err != nil && refused == nil {
				refused = fmt.Errorf("job %d: %w", id, err)
			}
			return nil
		}, format)
		if err != nil {
			return err
		}
		return errors.Join(refused, c.missing(s, gone, to, states...))
	})
}

// buryJobs is the command bury.
func buryJobs(c *call) error {
	all, err := ids(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *client.Client) error {
		var gone []uint64
		for _, id := range all {
			j, err := lookUp(s, id)
			if err == nil && j.State != buried {
				err = hold(s, id)
				if err == nil {
					err = buryHeld(s, id, j.Pri)
				}
			}
			if isGone(err) {
				gone = append(gone, id)
			} else if err != nil {
				return fmt.Errorf("job %d: %w", id, err)
			}
		}
		return c.missing(s, gone, "reserve", ready, delayed, buried)
	})
}

// errOld explains a server without reserve-job.
var errOld = errors.New("this needs a beanstalkd of version 1.12 or newer, with reserve-job")

// hold reserves a job by its id.
func hold(s *client.Client, id uint64) error {
	r, err := s.Askf("reserve-job %d", id)
	if err != nil {
		return err
	}
	return wantHeld(r)
}

func wantHeld(r client.Reply) error {
	if r.Word == "UNKNOWN_COMMAND" {
		return errOld
	}
	return r.Want("RESERVED")
}

// buryHeld buries a job that this connection has reserved.
func buryHeld(s *client.Client, id uint64, pri uint32) error {
	_, err := ask(s, "BURIED", "bury %d %d", id, pri)
	return err
}
