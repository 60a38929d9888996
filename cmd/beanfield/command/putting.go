package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"beanfield/cmd/beanfield/client"
)

// putting puts jobs through a pipe, prints their ids, and counts what becomes of them.
type putting struct {
	pipe         *client.Pipe
	out          *bufio.Writer
	report       io.Writer // for refusals
	show         *progress
	unit         string // what is counted
	quiet        bool
	json         bool
	sent         int
	acknowledged int
	refused      int
	full         error // the server takes no more
}

// reported is how many refusals are reported one by one.
const reported = 10

func newPutting(c *call, s *client.Client, quiet, asJSON bool) *putting {
	p := &putting{unit: "job", out: bufio.NewWriter(c.Stdout), report: c.Stderr, show: c.progress("put", 0), quiet: quiet, json: asJSON}
	p.pipe = s.Pipe(p.got)
	return p
}

// errFull ends a run whose next puts would be refused as well.
var errFull = errors.New("the server takes no more jobs")

func (p *putting) put(t terms, body []byte) error {
	if p.full != nil {
		return errFull
	}
	p.sent++
	return p.pipe.Put(putLine(t, len(body)), body)
}

func (p *putting) got(r client.Reply) error {
	if r.Word == "INSERTED" {
		p.acknowledged++
		p.show.set(p.acknowledged)
		switch {
		case p.quiet:
			return nil
		case p.json:
			_, err := fmt.Fprintf(p.out, "{\"id\":%d}\n", r.Number)
			return err
		}
		_, err := fmt.Fprintln(p.out, r.Number)
		return err
	}
	p.refused++
	err := r.Want("INSERTED")
	if p.refused <= reported {
		fmt.Fprintf(p.report, "%s %d: %v\n", p.unit, p.acknowledged+p.refused, err)
	}
	if r.Word != "JOB_TOO_BIG" {
		p.full = err
	}
	return nil
}

// flush waits for all replies and shows what they said.
func (p *putting) flush() error { return errors.Join(p.pipe.Flush(), p.out.Flush()) }

// end returns how a run ended; err is the error that it met, if any.
func (p *putting) end(err error) error {
	if err == nil || errors.Is(err, errFull) {
		err = p.flush()
	} else {
		err = errors.Join(err, p.out.Flush())
	}
	p.show.done()
	unknown := p.sent - p.acknowledged - p.refused
	switch {
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
