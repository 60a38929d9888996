package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"beanfield/conn/beanstalk/client"
)

// A server with rules answers a client that lacks a right as if there were no such tube or job, or as if the
// command were wrong. What follows finds out which it was, as far as the client may know.

// right is what a command of the protocol needs a right for, and where it needs it.
type right struct{ to, on string }

// Where a right is needed, if it is not in general.
const onNamed, onUsed = "the tube that the command names", "the tube in use"

// rights has the verbs of the protocol, and what commands of this program need a tube for that they may not even use.
var rights = map[string]right{
	"put": {"put", onUsed}, "put-with": {"put", onUsed}, "kick": {"kick", onUsed}, "delete": {"delete", onUsed},
	"peek": {"peek", onUsed}, "use": {"use", onNamed}, "watch": {"reserve", onNamed}, "truncate": {"delete", onNamed},
	"move-jobs": {"delete", onNamed}, "pause-tube": {"pause", onNamed}, "list-jobs": {"peek", onNamed},
	"stats-tube": {"see stats", onNamed}, "policy": {"see stats", onNamed}, "stats": {"stats", "a tube"},
	"schedules": {"stats", "a tube"}, "policies": {"stats", "every tube"}, "set-policies": {"admin", "every tube"},
}

// lacks is an error that names the right without which nothing was done.
func (s *server) lacks(format string, values ...any) error {
	return fmt.Errorf(strings.ReplaceAll(format, "WHO", s.who)+"; see beanfield help rights", values...)
}

// explained is an error of a command with what a refusal in it means.
func (s *server) explained(command string, err error) error {
	var no client.Refused
	if !errors.As(err, &no) || s.Err() != nil {
		return err
	}
	means := s.meaning(command, no)
	if means == nil || err == error(no) {
		return cmp.Or(means, err)
	}
	return errors.Join(err, means)
}

// meaning is what a refusal means; nil if it says that itself.
func (s *server) meaning(command string, no client.Refused) error {
	verb, rest, _ := strings.Cut(no.Command, " ")
	n, known := rights[verb]
	added, err := s.Can("list-jobs")
	missing := no.Word == "NOT_FOUND"
	if !known || err != nil || !missing && (no.Word != "BAD_FORMAT" || !added) {
		return nil
	}
	tube := no.Used
	switch n.on {
	case onUsed:
	case onNamed:
		tube, rest, _ = strings.Cut(strings.TrimPrefix(rest, "tube="), " ")
	default:
		return s.lacks("WHO needs the right %s on %s", n.to, n.on)
	}
	if missing && !s.hides() && (verb == "stats-tube" || !s.there(tube)) {
		return missingf("there is no tube %s", tube)
	}
	to := n.to
	if verb == "use" {
		to = cmp.Or(rights[command].to, "put")
	}
	if to += " there"; verb == "move-jobs" {
		to += ", or put into " + strings.Fields(rest)[0]
	}
	return s.lacks("%s: no such tube, or WHO may not %s", tube, to)
}

// hides says whether the server has rules that do not let this client see every tube.
func (s *server) hides() bool {
	_, err := s.Get("OK", "policies")
	return isAnswer(err, "BAD_FORMAT")
}

// there says whether the client sees that there is a tube.
func (s *server) there(tube string) bool {
	_, err := s.Stats("stats-tube " + tube)
	return err == nil
}

// mayPeek is the refusal if the client may not peek into a tube that is there.
func (s *server) mayPeek(tube string) error {
	can, err := s.Can("list-jobs")
	if can {
		_, _, err = s.ListJobs(client.Option("tube", tube), client.Option("limit", "1"))
	}
	return err
}

// stillThere is the refusal if one of these jobs is there, none of which could be peeked.
func (s *server) stillThere(ids []uint64) (refused error) {
	err := s.survey(ids, func(j *job) error {
		refused = client.Refused{Word: "NOT_FOUND", Command: "peek", Used: j.Tube}
		return nil
	})
	return cmp.Or(err, refused)
}

// missing is the error about jobs with which nothing was done, or nil. If they can be seen to be in one of these
// states, the client lacks a right.
func (s *server) missing(gone []uint64, to string, states ...string) error {
	if len(gone) == 0 {
		return nil
	}
	there := false
	err := s.survey(gone, func(j *job) error {
		there = there || slices.Contains(states, j.State)
		return nil
	})
	lacks := s.lacks("%s: no such job, or WHO may not %s it", idList(gone), to)
	switch {
	case err != nil || there:
		return errors.Join(err, lacks)
	case s.hides():
		return missingError{lacks.Error()}
	}
	return missingf("not found: %s", idList(gone))
}
