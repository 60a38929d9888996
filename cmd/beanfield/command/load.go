package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// load is the command of that name.
type load struct {
	Tube  tubeName `flag:"tube put all jobs into this <tube>, not into their own"`
	Quiet bool     `flag:"quiet do not print the ids, as on a terminal"`
}

func (a *load) run(c *call) error {
	files := c.words
	if len(files) == 0 {
		files = []string{stdin}
	}
	if times(files, stdin) > 1 {
		return usagef("standard input can be read only once")
	}
	var in []io.Reader
	for _, name := range files {
		f, err := c.open(name)
		if err != nil {
			return err
		}
		defer f.Close() // it was only read
		in = append(in, f)
	}
	if _, _, terminal := terminalSize(c.Stdout); terminal && !c.json {
		a.Quiet = true // for people, its progress says more than the ids
	}
	return c.withServer(func(s *client.Client) error {
		ctx, end := interruptible(s)
		defer end()
		l := &loading{putting: newPutting(ctx, c, s, a.Quiet), s: s, allowed: map[string]bool{}}
		l.unit = "line"
		l.through(s.Pipe(l.got))
		line := 0
		err := eachLine(newStoppable(ctx, io.MultiReader(in...)), l.flush, func(text []byte) error {
			line++
			j, err := parseJob(text)
			if err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			if a.Tube != "" {
				j.Tube = string(a.Tube)
			}
			return l.put(j)
		})
		return l.end(err)
	})
}

// parseJob reads a line that export wrote.
func parseJob(text []byte) (*job, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	j := job{State: ready, Pri: 1024, TTR: 60}
	if err := d.Decode(&j); err != nil {
		return nil, fmt.Errorf("not a job: %w", err)
	}
	switch {
	case !slices.Contains([]string{ready, reserved, delayed, buried}, j.State):
		return nil, fmt.Errorf("not a job: the state %q", j.State)
	case j.Text == nil && j.Binary == nil:
		return nil, errors.New("not a job: it has no body")
	case j.Text != nil && j.Binary != nil:
		return nil, errors.New("not a job: it has two bodies")
	case !isTube(j.Tube):
		return nil, fmt.Errorf("not a job: the tube %q", j.Tube)
	}
	if rest, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not a job: %v after it", rest)
	}
	return &j, nil
}

// loading puts jobs in many tubes and states.
type loading struct {
	*putting
	s       *client.Client
	used    string
	allowed map[string]bool // tubes that the server lets us use
	waiting []waitingJob    // for the replies to their puts
	held    []waitingJob    // put hidden, and to be buried
}

// waitingJob is what is still needed of a job that was sent.
type waitingJob struct {
	id     uint64
	pri    uint32
	buried bool
}

func (l *loading) put(j *job) error {
	if err := l.use(j.Tube); err != nil {
		return err
	}
	l.waiting = append(l.waiting, waitingJob{pri: j.Pri, buried: j.State == buried})
	return l.putting.put(j.putOptions(), j.body()) // what it does not send, nobody waits for
}

// use changes the tube. The reply is waited for if it may be a refusal: the jobs behind it
// would go into the tube that was used before.
func (l *loading) use(tube string) error {
	switch {
	case tube == l.used:
		return nil
	case !l.allowed[tube]:
		if err := l.flush(); err != nil {
			return err
		}
		if err := use(l.s, tube); err != nil {
			return fmt.Errorf("use tube %s: %w", tube, err)
		}
		l.allowed[tube] = true
	default:
		if err := l.kept(l.pipe.Send("use " + tube)); err != nil {
			return err
		}
	}
	l.used = tube
	return nil
}

func (l *loading) got(r client.Reply) error {
	if r.Word == "USING" {
		return nil
	}
	j := l.waiting[0]
	l.waiting = l.waiting[1:]
	if j.buried && r.Word == "INSERTED" {
		j.id = r.Number
		l.held = append(l.held, j)
	}
	return l.putting.got(r)
}

// flush also buries what is to be buried.
func (l *loading) flush() error {
	if err := l.putting.flush(); l.lost {
		return err
	}
	return cmp.Or(l.bury(), l.mute)
}

// bury buries the jobs that were put hidden, in their order.
func (l *loading) bury() error {
	pipe := l.s.Pipe(func(r client.Reply) error {
		if r.Word == "UNKNOWN_COMMAND" {
			return errOld
		}
		return r.Want("RESERVED", "BURIED")
	})
	for _, j := range l.held {
		err := l.kept(pipe.Send(fmt.Sprintf("reserve-job %d", j.id)))
		if err == nil {
			err = l.kept(pipe.Send(fmt.Sprintf("bury %d %d", j.id, j.pri)))
		}
		if err != nil {
			return err
		}
	}
	err := l.kept(pipe.Flush())
	if err != nil {
		err = fmt.Errorf("%d jobs could not be buried, and become ready in an hour: %w", len(l.held), err)
	}
	l.held = nil
	return err
}

// end is as for putting, once all is buried.
func (l *loading) end(err error) error {
	if !l.lost {
		failed := l.flush()
		switch {
		case err == nil || errors.Is(err, errFull):
			err = failed
		case failed != nil && !errors.Is(err, failed):
			err = errors.Join(err, failed)
		}
	}
	return l.putting.end(err)
}
