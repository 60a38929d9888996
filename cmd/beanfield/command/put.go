package command

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// put is the command of that name.
type put struct {
	tube    tubeName
	options putOptions
	extra   extras
	file    string
	lines   bool
	quiet   bool
	count   int // of bodies on the command line
}

// putOptions are what a put says about a job.
type putOptions struct {
	pri        uint
	delay, ttr seconds
}

func (t *putOptions) flags(f *flag.FlagSet) {
	f.UintVar(&t.pri, "pri", 1024, "`priority`: 0 is the most urgent")
	t.ttr = 60
	f.Var(&t.delay, "delay", "`time` until the job becomes ready")
	f.Var(&t.ttr, "ttr", "`time` that a worker has for the job")
}

func (a *put) flags(f *flag.FlagSet) {
	a.tube = "default"
	f.Var(&a.tube, "tube", "the `tube` to put into")
	a.options.flags(f)
	a.extra.flags(f)
	f.StringVar(&a.file, "file", "", "put what is in this `file`; - is standard input")
	f.BoolVar(&a.lines, "lines", false, "make a job of each line of standard input, or of -file")
	f.BoolVar(&a.quiet, "quiet", false, "do not print the ids")
}

func (a *put) check(words []string) error {
	switch {
	case len(words) > 0 && (a.file != "" || a.lines && !slices.Equal(words, []string{stdin})):
		return usagef("jobs come from arguments, or from -file and -lines, not from both")
	case len(words) == 0 && a.file == "" && !a.lines:
		return usagef("nothing to put: give a BODY, - for standard input, -file or -lines")
	case times(words, stdin) > 1:
		return usagef("standard input can be put only once")
	case a.extra.unique != "" && a.several():
		return usagef("only one job can have the key that -unique gives")
	case a.extra.unique == "" && a.extra.uniqueFor > 0:
		return usagef("-unique-for needs -unique")
	case a.options.pri > math.MaxUint32:
		return usagef("-pri must not be above %d", uint32(math.MaxUint32))
	}
	return nil
}

// several says whether there may be more than one job.
func (a *put) several() bool { return a.lines || a.count > 1 }

func (a *put) run(c *call) error {
	a.count = len(c.words)
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
		p := newPutting(ctx, c, s, a.quiet)
		if a.extra.given() {
			if err := a.extra.known(s); err != nil {
				return err
			}
			p.line = a.lineOf
		}
		return p.end(a.all(c, p, newStoppable(ctx, in)))
	})
}

// all puts whatever there is to put.
func (a *put) all(c *call, p *putting, in io.Reader) error {
	if a.lines {
		return eachLine(in, p.flush, func(line []byte) error { return p.put(a.options, line) })
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
		if err := p.put(a.options, body); err != nil {
			return err
		}
	}
	return nil
}

func use(s *client.Client, tube string) error {
	_, err := ask(s, "USING", "use %s", tube)
	return err
}

// lineOf is the line of the job with this number.
func (a *put) lineOf(t putOptions, size, number int) (string, error) {
	if !a.several() {
		number = 0
	}
	return a.extra.lineOf(t, size, number)
}

func putLine(t putOptions, size int) string {
	return fmt.Sprintf("put %d %d %d %d", t.pri, t.delay, t.ttr, size)
}
