package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// put is the command of that name.
type put struct {
	Tube tubeName `flag:"tube the <tube> to put into"`
	putOptions
	extras
	File  string `flag:"file put what is in this <file>; - is standard input"`
	Lines bool   `flag:"lines make a job of each line of standard input, or of -file"`
	Quiet bool   `flag:"quiet do not print the ids"`

	count int // of bodies on the command line
}

// putOptions are what a put says about a job.
type putOptions struct {
	Pri   uint64  `flag:"pri <priority>: 0 is the most urgent"`
	Delay seconds `flag:"delay <time> until the job becomes ready"`
	TTR   seconds `flag:"ttr <time> that a worker has for the job"`
}

func (a *put) check(words []string) error {
	switch {
	case len(words) > 0 && (a.File != "" || a.Lines && !slices.Equal(words, []string{stdin})):
		return usagef("jobs come from arguments, or from -file and -lines, not from both")
	case len(words) == 0 && a.File == "" && !a.Lines:
		return usagef("nothing to put: give a BODY, - for standard input, -file or -lines")
	case times(words, stdin) > 1:
		return usagef("standard input can be put only once")
	case a.Unique != "" && a.several():
		return usagef("only one job can have the key that -unique gives")
	case a.Unique == "" && a.UniqueFor > 0:
		return usagef("-unique-for needs -unique")
	case a.Pri > math.MaxUint32:
		return usagef("-pri must not be above %d", uint32(math.MaxUint32))
	}
	return nil
}

// several says whether there may be more than one job.
func (a *put) several() bool { return a.Lines || a.count > 1 }

func (a *put) run(c *call) error {
	a.count = len(c.words)
	if err := a.check(c.words); err != nil {
		return err
	}
	in, err := c.open(cmp.Or(a.File, stdin))
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	return c.withServer(func(s *client.Client) error {
		if err := use(s, string(a.Tube)); err != nil {
			return err
		}
		ctx, end := interruptible(s)
		defer end()
		p := newPutting(ctx, c, s, a.Quiet)
		if a.extras.given() {
			if err := a.extras.known(s); err != nil {
				return err
			}
			p.line = a.lineOf
		}
		return p.end(a.all(c, p, newStoppable(ctx, in)))
	})
}

// all puts whatever there is to put.
func (a *put) all(c *call, p *putting, in io.Reader) error {
	if a.Lines {
		return eachLine(in, p.flush, func(line []byte) error { return p.put(a.putOptions, line) })
	}
	bodies := c.words
	if a.File != "" {
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
		if err := p.put(a.putOptions, body); err != nil {
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
	return a.extras.lineOf(t, size, number)
}

func putLine(t putOptions, size int) string {
	return fmt.Sprintf("put %d %d %d %d", t.Pri, t.Delay, t.TTR, size)
}
