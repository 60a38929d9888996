package client

import (
	"context"
	"fmt"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// A Pipeline is a list of commands for one call: none of them waits for the answer to the one
// before it. The zero Pipeline is empty. It can be run again, and on any Conn.
type Pipeline struct{ steps []step }

// Result is what became of one command of a list.
type Result struct {
	ID  uint64 // of the job
	Err error
}

// step is a command of a Pipeline.
type step struct {
	put    *NewJob // nil: it is another command
	line   string
	want   string
	id     uint64
	leaves bool // the job is not reserved afterwards
	err    error
}

// Put adds a put.
func (p *Pipeline) Put(job NewJob) {
	job, err := job.filled()
	if err == nil && job.Wait > 0 {
		err = fmt.Errorf("%w: a put in a pipeline or a batch cannot wait for room", ErrInvalid)
	}
	p.steps = append(p.steps, step{put: &job, err: err})
}

// Delete adds a delete.
func (p *Pipeline) Delete(id uint64) { p.steps = append(p.steps, deletes(id)) }

// Release adds a release of a job that the Conn has reserved.
func (p *Pipeline) Release(id uint64, priority uint32, delay time.Duration) {
	p.steps = append(p.steps, releases(id, priority, delay))
}

// Bury adds a bury of a job that the Conn has reserved.
func (p *Pipeline) Bury(id uint64, priority uint32) { p.steps = append(p.steps, buries(id, priority)) }

// Touch adds a touch of a job that the Conn has reserved.
func (p *Pipeline) Touch(id uint64) { p.steps = append(p.steps, touches(id)) }

// KickJob adds a kick of a job.
func (p *Pipeline) KickJob(id uint64) { p.steps = append(p.steps, kicks(id)) }

func deletes(id uint64) step {
	return step{id: id, leaves: true, want: "DELETED", line: fmt.Sprint("delete ", id)}
}

func releases(id uint64, priority uint32, delay time.Duration) step {
	s, err := seconds(delay)
	return step{id: id, leaves: true, want: "RELEASED", line: fmt.Sprintf("release %d %d %d", id, priority, s), err: err}
}

func buries(id uint64, priority uint32) step {
	return step{id: id, leaves: true, want: "BURIED", line: fmt.Sprintf("bury %d %d", id, priority)}
}

func touches(id uint64) step { return step{id: id, want: "TOUCHED", line: fmt.Sprint("touch ", id)} }

func kicks(id uint64) step { return step{id: id, want: "KICKED", line: fmt.Sprint("kick-job ", id)} }

// Len is how many commands there are.
func (p *Pipeline) Len() int { return len(p.steps) }

// Run sends the commands of a Pipeline and returns what became of each, in their order: as many
// Results as there are commands, also with an error. An error is one of the connection; that a
// command is refused is in its Result, and does not stop the others. If the connection is lost,
// the Results without an answer have ErrLost, and those of commands that were not sent,
// ErrNotSent.
func (c *Conn) Run(ctx context.Context, p *Pipeline) ([]Result, error) {
	results := unsent(len(p.steps))
	err := c.with(ctx, func(l *link) error { return l.run(p.steps, results) })
	return results, err
}

func unsent(n int) []Result {
	results := make([]Result, n)
	for i := range results {
		results[i].Err = ErrNotSent
	}
	return results
}

// run is Run, with a place for each result.
func (l *link) run(steps []step, results []Result) error {
	var sent []int // the steps that wait for a reply
	pipe := l.wire.Pipe(func(r wire.Reply) error {
		i := sent[0]
		sent = sent[1:]
		results[i] = l.result(steps[i], r)
		return nil
	})
	for i, s := range steps {
		line, body, err := s.line, []byte(nil), s.err
		if err == nil && s.put != nil {
			body = s.put.Body
			line, err = s.put.line(l, pipe.Flush)
		}
		if lost := l.wire.Err(); lost != nil {
			return lost
		}
		if err != nil {
			results[i] = Result{ID: s.id, Err: translated(err)}
			continue
		}
		sent = append(sent, i)
		results[i] = Result{ID: s.id, Err: ErrLost}
		if s.put != nil {
			err = pipe.Put(line, body)
		} else {
			err = pipe.Send(line)
		}
		if err != nil {
			return err
		}
	}
	return pipe.Flush()
}

// result reads the reply to a step.
func (l *link) result(s step, r wire.Reply) Result {
	if s.put != nil {
		id, err := inserted(r, "INSERTED")
		return Result{id, err}
	}
	err := translated(r.Want(s.want))
	if s.leaves && (err == nil || isNotFound(err)) {
		delete(l.held, s.id)
	}
	return Result{s.id, err}
}
