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

// putting puts jobs in their tubes and states through a pipe, prints their ids as soon as they are known (U4), and
// counts what becomes of them.
type putting struct {
	s      *server
	ctx    context.Context // ends when the command is to end
	pipe   *client.Pipe
	out    *bufio.Writer
	report io.Writer // for refusals
	show   *progress
	unit   string                                         // what is counted
	line   func(j *job, size, number int) (string, error) // that puts a job
	quiet  bool
	json   bool

	used    string
	allowed map[string]bool // tubes that the server lets us use
	waiting []*job          // for the replies to their puts
	buried  []job           // put hidden, and to be buried

	sent         int
	acknowledged int
	refused      int
	full         error    // the server takes no more
	unprinted    []uint64 // ids that are not known to be printed
	mute         error    // the output takes no more
}

// reported is how many refusals are reported one by one.
const reported = 10

func newPutting(ctx context.Context, c *call, s *server, quiet bool) *putting {
	p := &putting{s: s, ctx: ctx, unit: "job", out: bufio.NewWriter(c.Stdout), report: c.Stderr,
		show: c.progress("put", 0), quiet: quiet, json: c.json, allowed: map[string]bool{}}
	p.line = func(j *job, size, _ int) (string, error) { return putLine(j, size), nil }
	p.pipe = s.Pipe(p.got)
	p.pipe.Waits = p.print // before it waits for the server
	return p
}

// errFull ends a run whose next puts would be refused as well.
var errFull = errors.New("the server takes no more jobs")

func (p *putting) put(j *job) error {
	if err := p.use(j.Tube); err != nil {
		return err
	}
	switch {
	case p.full != nil:
		return errFull
	case p.mute != nil:
		return p.mute
	case p.ctx.Err() != nil:
		return errInterrupted
	}
	body := j.body()
	line, err := p.line(j, len(body), p.sent+1)
	if err != nil {
		return err
	}
	p.sent++
	p.waiting = append(p.waiting, j)
	return p.pipe.Put(line, body)
}

// use changes the tube. The reply is waited for if it may be a refusal: the jobs behind it
// would go into the tube that was used before.
func (p *putting) use(tube string) (err error) {
	switch {
	case tube == p.used:
		return nil
	case p.allowed[tube]:
		err = p.pipe.Send("use " + tube)
	default:
		if err = p.flush(); err != nil {
			return err
		}
		if err = p.s.use(tube); err != nil {
			return fmt.Errorf("use tube %s: %w", tube, err)
		}
	}
	p.used, p.allowed[tube] = tube, true
	return err
}

func (p *putting) got(r client.Reply) error {
	if r.Word == "USING" {
		return nil
	}
	j := p.waiting[0]
	p.waiting = p.waiting[1:]
	if r.Word == "INSERTED" {
		p.inserted(j, r.Number)
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

func (p *putting) inserted(j *job, id uint64) {
	p.acknowledged++
	p.show.set(p.acknowledged)
	if j.State == buried {
		p.buried = append(p.buried, job{ID: id, Pri: j.Pri})
	}
	if p.quiet {
		return
	}
	form := "%d\n"
	if p.json {
		form = "{\"id\":%d}\n"
	}
	p.unprinted = append(p.unprinted, id)
	fmt.Fprintf(p.out, form, id) // print sees the error
}

// print prints the ids of all replies so far.
func (p *putting) print() {
	if err := p.out.Flush(); err != nil {
		p.mute = err
	} else {
		p.unprinted = p.unprinted[:0]
	}
}

// flush waits for all replies, shows what they said, and buries what is to be buried.
func (p *putting) flush() error {
	err := p.pipe.Flush()
	p.print()
	if p.s.Err() == nil && len(p.buried) > 0 {
		err = cmp.Or(err, p.s.bury(p.buried))
		p.buried = nil
	}
	return cmp.Or(err, p.mute)
}

// end returns how a run ended; err is the error that it met, if any.
func (p *putting) end(err error) error {
	if errors.Is(err, errFull) {
		err = nil // p.full says more
	}
	if p.s.Err() != nil {
		p.print()
	} else if failed := p.flush(); failed != nil && !errors.Is(err, failed) {
		err = errors.Join(err, failed)
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
	var parts []string
	for i, last := 0, 0; i < len(ids); i = last + 1 {
		for last = i; last+1 < len(ids) && ids[last+1] == ids[last]+1; last++ {
		}
		part := fmt.Sprint(ids[i])
		if last > i {
			part += fmt.Sprintf("-%d", ids[last])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// hidden is the delay with which a job is put that is to be buried at once: no worker
// may see it before.
const hidden = 3600

// putLine is the line that puts a job.
func putLine(j *job, size int) string {
	delay := j.Delay
	if j.State == buried {
		delay = hidden
	}
	return fmt.Sprintf("put %d %d %d %d", j.Pri, delay, j.TTR, size)
}

// bury buries jobs that were put hidden, in their order.
func (s *server) bury(list []job) error {
	err := s.Each(func(yield func(string) bool) {
		for _, j := range list {
			if !yield(fmt.Sprintf("reserve-job %d", j.ID)) || !yield(fmt.Sprintf("bury %d %d", j.ID, j.Pri)) {
				return
			}
		}
	}, func(_ int, r client.Reply) error { return wantHeld(r, "BURIED") })
	if err != nil {
		err = fmt.Errorf("%d jobs could not be buried, and become ready in an hour: %w", len(list), err)
	}
	return err
}
