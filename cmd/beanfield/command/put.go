package command

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// put is the command of that name.
type put struct {
	tube  tubeName
	terms terms
	file  string
	lines bool
	quiet bool
	json  bool
}

// terms are what a put says about a job.
type terms struct {
	pri        uint
	delay, ttr seconds
}

func (t *terms) flags(f *flag.FlagSet) {
	f.UintVar(&t.pri, "pri", 1024, "`priority`: 0 is the most urgent")
	t.ttr = 60
	f.Var(&t.delay, "delay", "`time` until the job becomes ready")
	f.Var(&t.ttr, "ttr", "`time` that a worker has for the job")
}

func (a *put) flags(f *flag.FlagSet) {
	a.tube = "default"
	f.Var(&a.tube, "tube", "the `tube` to put into")
	a.terms.flags(f)
	f.StringVar(&a.file, "file", "", "put what is in this `file`; - is standard input")
	f.BoolVar(&a.lines, "lines", false, "make a job of each line of standard input, or of -file")
	f.BoolVar(&a.quiet, "quiet", false, "do not print the ids")
	f.BoolVar(&a.json, "json", false, "print an object with the id for each job")
}

func (a *put) check(words []string) error {
	switch {
	case len(words) > 0 && (a.file != "" || a.lines && !slices.Equal(words, []string{stdin})):
		return usagef("jobs come from arguments, or from -file and -lines, not from both")
	case len(words) == 0 && a.file == "" && !a.lines:
		return usagef("nothing to put: give a BODY, - for standard input, -file or -lines")
	case times(words, stdin) > 1:
		return usagef("standard input can be put only once")
	}
	return nil
}

func (a *put) run(c *call) error {
	if err := a.check(c.words); err != nil {
		return err
	}
	in, err := c.open(cmp.Or(a.file, stdin))
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	return c.withServer(func(s *client.Client) error {
		if err := use(s, string(a.tube)); err != nil {
			return err
		}
		ctx, end := interruptible(s)
		defer end()
		p := newPutting(ctx, c, s, a.quiet, a.json)
		return p.end(a.all(c, p, newStoppable(ctx, in)))
	})
}

// all puts whatever there is to put.
func (a *put) all(c *call, p *putting, in io.Reader) error {
	if a.lines {
		return eachLine(in, p.flush, func(line []byte) error { return p.put(a.terms, line) })
	}
	bodies := c.words
	if a.file != "" {
		bodies = []string{stdin} // in is the file
	}
	for _, word := range bodies {
		body := []byte(word)
		if word == stdin {
			var err error
			if body, err = io.ReadAll(in); err != nil {
				return err
			}
		}
		if err := p.put(a.terms, body); err != nil {
			return err
		}
	}
	return nil
}

func use(s *client.Client, tube string) error {
	_, err := ask(s, "USING", "use %s", tube)
	return err
}

func putLine(t terms, size int) string {
	return fmt.Sprintf("put %d %d %d %d", t.pri, t.delay, t.ttr, size)
}
