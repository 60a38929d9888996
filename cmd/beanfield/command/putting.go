package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"beanfield/conn/beanstalk/client"
)

// putting puts jobs through a pipe, prints their ids as soon as they are known (U4), and counts
// what becomes of them.
type putting struct {
	ctx          context.Context // ends when the command is to end
	pipe         *client.Pipe
	out          *bufio.Writer
	report       io.Writer // for refusals
	show         *progress
	unit         string                                               // what is counted
	line         func(t putOptions, size, number int) (string, error) // that puts a job
	quiet        bool
	json         bool
	sent         int
	acknowledged int
	refused      int
	full         error    // the server takes no more
	lost         bool     // the connection
	unprinted    []uint64 // ids that are not known to be printed
	mute         error    // the output takes no more
}

// reported is how many refusals are reported one by one.
const reported = 10

func newPutting(ctx context.Context, c *call, s *client.Client, quiet bool) *putting {
	p := &putting{ctx: ctx, unit: "job", out: bufio.NewWriter(c.Stdout), report: c.Stderr, show: c.progress("put", 0),
		quiet: quiet, json: c.json}
	p.line = func(t putOptions, size, _ int) (string, error) { return putLine(t, size), nil }
	p.through(s.Pipe(p.got))
	return p
}

// through sets the pipe. Ids are printed before it waits for the server.
func (p *putting) through(pipe *client.Pipe) {
	p.pipe = pipe
	pipe.Waits = p.print
}

// errFull ends a run whose next puts would be refused as well.
var errFull = errors.New("the server takes no more jobs")

func (p *putting) put(t putOptions, body []byte) error {
	switch {
	case p.full != nil:
		return errFull
	case p.mute != nil:
		return p.mute
	case p.ctx.Err() != nil:
		return errInterrupted
	}
	line, err := p.line(t, len(body), p.sent+1)
	if err != nil {
		return err
	}
	p.sent++
	return p.kept(p.pipe.Put(line, body))
}

// kept notes whether the connection is lost: got returns no error.
func (p *putting) kept(err error) error {
	p.lost = p.lost || err != nil
	return err
}

func (p *putting) got(r client.Reply) error {
	if r.Word == "INSERTED" {
		p.acknowledged++
		p.show.set(p.acknowledged)
		if p.quiet {
			return nil
		}
		form := "%d\n"
		if p.json {
			form = "{\"id\":%d}\n"
		}
		p.unprinted = append(p.unprinted, r.Number)
		fmt.Fprintf(p.out, form, r.Number) // print sees the error
		return nil
	}
	p.refused++
	err := r.Want("INSERTED")
	if r.Word == "EXISTS" {
		err = fmt.Errorf("job %d has this key", r.Number)
	}
	if p.refused <= reported {
		fmt.Fprintf(p.report, "%s %d: %v\n", p.unit, p.acknowledged+p.refused, err)
	}
	if r.Word != "JOB_TOO_BIG" && r.Word != "EXISTS" {
		p.full = err
	}
	return nil
}

// print prints the ids of all replies so far.
func (p *putting) print() {
	if err := p.out.Flush(); err != nil {
		p.mute = err
	} else {
		p.unprinted = p.unprinted[:0]
	}
}

// flush waits for all replies and shows what they said.
func (p *putting) flush() error {
	err := p.kept(p.pipe.Flush())
	p.print()
	return cmp.Or(err, p.mute)
}

// end returns how a run ended; err is the error that it met, if any.
func (p *putting) end(err error) error {
	if errors.Is(err, errFull) {
		err = nil // p.full says more
	}
	if p.lost {
		p.print()
	} else if failed := p.flush(); err == nil {
		err = failed
	}
	p.show.done()
	if p.mute != nil && len(p.unprinted) > 0 {
		fmt.Fprintf(p.report, "ids that could not be printed: %s\n", idRanges(p.unprinted))
	}
	unknown := p.sent - p.acknowledged - p.refused
	switch {
	case errors.Is(err, errInterrupted) && unknown == 0:
		return fmt.Errorf("%w after %s %d: %d jobs were put", err, p.unit, p.sent, p.acknowledged)
	case err != nil && unknown > 0:
		return fmt.Errorf("%w\n%d jobs were put; what became of %d more is not known", err, p.acknowledged, unknown)
	case err != nil:
		return fmt.Errorf("%w\n%d jobs were put", err, p.acknowledged)
	case p.full != nil:
		return fmt.Errorf("%w; %d jobs were put, and the rest were not", p.full, p.acknowledged)
	case p.refused > 0:
		return fmt.Errorf("%d of %d jobs were not put", p.refused, p.sent)
	}
	return nil
}

// idRanges shows ids, those that follow each other as 3-9.
func idRanges(ids []uint64) string {
	var out strings.Builder
	for i := 0; i < len(ids); {
		last := i
		for last+1 < len(ids) && ids[last+1] == ids[last]+1 {
			last++
		}
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprint(&out, ids[i])
		if last > i {
			fmt.Fprintf(&out, "-%d", ids[last])
		}
		i = last + 1
	}
	return out.String()
}
