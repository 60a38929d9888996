package command

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"beanfield/cmd/beanfield/client"
)

// put is the command of that name.
type put struct {
	tube  string
	terms terms
	file  string
	lines bool
	quiet bool
	json  bool
}

// terms are what a put says about a job.
type terms struct {
	pri, delay, ttr uint
}

func (t *terms) flags(f *flag.FlagSet) {
	f.UintVar(&t.pri, "pri", 1024, "`priority`: 0 is the most urgent")
	f.UintVar(&t.delay, "delay", 0, "`seconds` until the job becomes ready")
	f.UintVar(&t.ttr, "ttr", 60, "`seconds` that a worker has for the job")
}

func (a *put) flags(f *flag.FlagSet) {
	f.StringVar(&a.tube, "tube", "default", "the `tube` to put into")
	a.terms.flags(f)
	f.StringVar(&a.file, "file", "", "put what is in this `file`; - is standard input")
	f.BoolVar(&a.lines, "lines", false, "make a job of each line of standard input, or of -file")
	f.BoolVar(&a.quiet, "quiet", false, "do not print the ids")
	f.BoolVar(&a.json, "json", false, "print an object with the id for each job")
}

func (a *put) check(words []string) error {
	switch {
	case len(words) > 0 && (a.file != "" || a.lines):
		return usagef("jobs come from arguments, or from -file and -lines, not from both")
	case len(words) == 0 && a.file == "" && !a.lines:
		return usagef("nothing to put: give a BODY, -file or -lines")
	}
	return checkTube(a.tube)
}

func (a *put) run(c *call) error {
	if err := a.check(c.words); err != nil {
		return err
	}
	in, err := a.open(c)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	return c.withServer(func(s *client.Client) error {
		if err := use(s, a.tube); err != nil {
			return err
		}
		p := newPutting(c, s, a.quiet, a.json)
		return p.end(a.all(c, p, in))
	})
}

// open opens what is to be read, or standard input.
func (a *put) open(c *call) (io.ReadCloser, error) {
	if a.file == "" || a.file == "-" {
		return io.NopCloser(c.Stdin), nil
	}
	return os.Open(a.file)
}

// all puts whatever there is to put.
func (a *put) all(c *call, p *putting, in io.Reader) error {
	for _, word := range c.words {
		if err := p.put(a.terms, []byte(word)); err != nil {
			return err
		}
	}
	switch {
	case a.lines:
		return eachLine(in, p.flush, func(line []byte) error { return p.put(a.terms, line) })
	case a.file != "":
		body, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		return p.put(a.terms, body)
	}
	return nil
}

// eachLine reads lines, the last of which need not have an end. It calls pause before it
// waits for input: what has been read so far must not wait too.
func eachLine(in io.Reader, pause func() error, each func(line []byte) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		if there, _ := r.Peek(r.Buffered()); bytes.IndexByte(there, '\n') < 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) > 0 {
			if err := each(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func use(s *client.Client, tube string) error {
	r, err := s.Ask("use " + tube)
	if err == nil {
		err = r.Want("USING")
	}
	return err
}

func putLine(t terms, size int) string {
	return fmt.Sprintf("put %d %d %d %d", t.pri, t.delay, t.ttr, size)
}
