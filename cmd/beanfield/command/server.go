package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// serverVariable names the server that commands speak to if no flag does.
const serverVariable = "BEANFIELD_SERVER"

// defaultServer is where beanstalkd and beanfield listen by default, on this machine.
const defaultServer = "127.0.0.1:11300"

// patient is how long a server may be silent, unless -connect-timeout says.
const patient = 30 * time.Second

// link says how a command reaches its server.
type link struct {
	Server    string        `flag:"server <address>, or $BEANFIELD_SERVER: SERVERS"`
	Config    string        `flag:"config the server's configuration <file>, on this machine"`
	TokenFile string        `flag:"token-file <file> with a token to log in with"`
	CA        string        `flag:"ca <file> with the certificates to trust, for TLS"`
	Cert      string        `flag:"cert <file> with your own certificate, for TLS"`
	Key       string        `flag:"key <file> with the key of your certificate"`
	Timeout   time.Duration `flag:"connect-timeout longest <time> to wait for the server"`
}

// servers are where the server may be.
func (c *call) servers() ([]string, error) {
	switch {
	case c.link.Config != "" && c.link.Server != "":
		return nil, usagef("-server and -config both name the server")
	case c.link.Config != "":
		at, err := c.place(c.link.Config, "")
		return at.Servers, err
	}
	return serverList(cmp.Or(c.link.Server, usualServer())), nil
}

// serverList takes a list apart. A path may have commas, too: what follows one and has no colon is no address.
func serverList(text string) (list []string) {
	for _, part := range strings.Split(text, ",") {
		if last := len(list) - 1; last >= 0 && strings.HasPrefix(list[last], "unix:") && !strings.Contains(part, ":") {
			list[last] += "," + part
			continue
		}
		list = append(list, strings.TrimSpace(part))
	}
	return list
}

// usualServer is the one that is spoken to if no flag names another.
func usualServer() string { return cmp.Or(os.Getenv(serverVariable), defaultServer) }

// server is a connection of a command.
type server struct {
	*client.Client
	who string // has connected, in what is said of its rights
}

// withServer connects, does work, and closes the connection.
func (c *call) withServer(work func(s *server) error) error {
	servers, err := c.servers()
	if err != nil {
		return err
	}
	l := &c.link
	s := &server{who: "this client"}
	if l.TokenFile != "" {
		s.who = "this token"
	}
	s.Client, err = client.DialFirst(context.Background(), servers,
		client.Options{TokenFile: l.TokenFile, CA: l.CA, Cert: l.Cert, Key: l.Key, Timeout: l.Timeout})
	if err != nil {
		return err
	}
	err = s.explained(c.command.Name, work(s))
	return errors.Join(err, s.Close())
}

// onTube checks a name, connects, and does work with a tube that exists.
func (c *call) onTube(tube string, work func(s *server, d client.Document) error) error {
	if err := checkTubes(tube); err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		d, err := s.Stats("stats-tube " + tube)
		if err != nil {
			return err
		}
		return work(s, d)
	})
}

func (s *server) use(tube string) error {
	_, err := s.Get("USING", "use %s", tube)
	return err
}

// watch watches these tubes alone, or default if there are none. It asks for default too: the server says whether it
// gives jobs from there.
func (s *server) watch(tubes ...string) error {
	if len(tubes) == 0 {
		tubes = []string{"default"}
	}
	for _, tube := range tubes {
		if _, err := s.Get("WATCHING", "watch %s", tube); err != nil {
			return err
		}
	}
	if slices.Contains(tubes, "default") {
		return nil
	}
	_, err := s.Get("WATCHING", "ignore default")
	return err
}

// askEach asks the same of each job, many at a time, and hands on the answers to what is asked of one.
func (s *server) askEach(ids []uint64, each func(id uint64, r []client.Reply) error, formats ...string) error {
	var replies []client.Reply
	return s.Each(func(yield func(string) bool) {
		for _, id := range ids {
			for _, format := range formats {
				if !yield(fmt.Sprintf(format, id)) {
					return
				}
			}
		}
	}, func(i int, r client.Reply) error {
		if replies = append(replies, r); len(replies) < len(formats) {
			return nil
		}
		all := replies
		replies = nil
		return each(ids[i/len(formats)], all)
	})
}

// isAnswer says whether an error is this reply of the server.
func isAnswer(err error, word string) bool {
	no := client.Refused{}
	return errors.As(err, &no) && no.Word == word
}

func isGone(err error) bool { return isAnswer(err, "NOT_FOUND") }

// unreadable is the server's answer if it knows a job and cannot read its body.
const unreadable = "INTERNAL_ERROR"

// probeTube gets a job whose id shows how high ids are.
const probeTube = "beanfield.probe"

// newestID is an id above those of all jobs that are there now. The protocol cannot be asked
// for it, and stats count jobs only since the last start. So newestID puts a job into a
// tube of its own, which nobody watches, and deletes it.
func (s *server) newestID() (uint64, error) {
	if err := s.use(probeTube); err != nil {
		return 0, err
	}
	r, err := s.Put(putLine(&job{State: buried, TTR: 1}, 0), nil)
	if err == nil {
		err = r.Want("INSERTED")
	}
	if err != nil {
		return 0, fmt.Errorf("cannot learn the highest id: %w", err)
	}
	_, err = s.Get("DELETED", "delete %d", r.Number)
	return r.Number, err
}

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
