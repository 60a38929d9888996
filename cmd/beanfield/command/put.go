package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// put is the command of that name.
type put struct {
	Tube  tubeName `flag:"tube the <tube> to put into"`
	Pri   uint64   `flag:"pri <priority>: 0 is the most urgent"`
	Delay seconds  `flag:"delay <time> until the job becomes ready"`
	TTR   seconds  `flag:"ttr <time> that a worker has for the job"`
	File  string   `flag:"file put what is in this <file>; - is standard input"`
	Lines bool     `flag:"lines make a job of each line of standard input, or of -file"`
	Quiet bool     `flag:"quiet do not print the ids"`
	extras
}

// extras are what only put-with can say about a job.
type extras struct {
	Unique     string        `flag:"unique put the job only if no other one in the tube has this <key>"`
	UniqueFor  time.Duration `flag:"unique-for keep the key for this <time>, also if the job ends earlier"`
	Once       string        `flag:"once <name> of this put: repeated within 5 minutes, it puts nothing twice"`
	Expire     time.Duration `flag:"expire delete the job when it is this <time> old"`
	Deliveries uint64        `flag:"deliveries <number> of deliveries before the job is a dead letter"`
	Tags       tagList       `flag:"tag <NAME=VALUE> to tag the job with; several times for several tags"`
}

func (a *put) check(words []string) error {
	switch {
	case len(words) > 0 && (a.File != "" || a.Lines && !slices.Equal(words, []string{stdin})):
		return usagef("jobs come from arguments, or from -file and -lines, not from both")
	case len(words) == 0 && a.File == "" && !a.Lines:
		return usagef("nothing to put: give a BODY, - for standard input, -file or -lines")
	case twice(words, stdin):
		return usagef("standard input can be put only once")
	case a.Unique != "" && (a.Lines || len(words) > 1):
		return usagef("only one job can have the key that -unique gives")
	case a.Unique == "" && a.UniqueFor > 0:
		return usagef("-unique-for needs -unique")
	case a.Pri > math.MaxUint32:
		return usagef("-pri must not be above %d", uint32(math.MaxUint32))
	}
	return nil
}

func (a *put) run(c *call) error {
	if err := a.check(c.words); err != nil {
		return err
	}
	in, err := c.open(cmp.Or(a.File, stdin))
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	return c.withServer(func(s *server) error {
		if err := s.use(string(a.Tube)); err != nil {
			return err
		}
		ctx, end := interruptible(s)
		defer end()
		p := newPutting(ctx, c, s, a.Quiet)
		p.used = string(a.Tube)
		if a.Once != "" || len(a.options("")) > 0 {
			if err := s.needsExtras(); err != nil {
				return err
			}
			several := a.Lines || len(c.words) > 1
			p.line = func(j *job, size, number int) (string, error) { return a.lineOf(j, size, number, several) }
		}
		return p.end(a.all(c, p, newStoppable(ctx, in)))
	})
}

// all puts whatever there is to put.
func (a *put) all(c *call, p *putting, in io.Reader) error {
	one := func(body []byte) error {
		return p.put(&job{Tube: p.used, Pri: uint32(a.Pri), Delay: uint32(a.Delay), TTR: uint32(a.TTR),
			content: content{Binary: body}})
	}
	if a.Lines {
		return eachLine(in, p.flush, one)
	}
	bodies := c.words
	if a.File != "" {
		bodies = []string{stdin} // in is the file
	}
	for _, word := range bodies {
		body, err := []byte(word), error(nil)
		if word == stdin {
			body, err = io.ReadAll(in)
		}
		if err == nil {
			err = one(body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// options are those of put-with; once is the name of the job.
func (e *extras) options(once string) []string {
	var all optionList
	all.add("key", e.Unique)
	all.add("key-for", optionTime(e.UniqueFor))
	all.add("expire", optionTime(e.Expire))
	all.add("deliveries", optionNumber(int(e.Deliveries)))
	all = append(all, e.Tags...)
	all.add("once", once)
	return all
}

// optionList are options of a command of the protocol.
type optionList []string

// add adds an option that is given.
func (l *optionList) add(name, value string) {
	if value != "" {
		*l = append(*l, client.Option(name, value))
	}
}

// optionTime is a time as an option has it: seconds with three digits behind a dot.
func optionTime(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.FormatFloat(max(d, time.Millisecond).Seconds(), 'f', 3, 64)
}

// optionNumber is a number as an option has it; none if it is 0.
func optionNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// needsExtras is an error if the server does not have put-with: the bodies would be commands to it.
func (s *server) needsExtras() error {
	can, err := s.Can("put-with")
	if err == nil && !can {
		err = errors.New("the server does not have the command put-with, " +
			"which -unique, -once, -expire, -deliveries and -tag need")
	}
	return err
}

// longestLine is how long a line with options may be. The body behind a longer one would be commands.
const longestLine = 1024

// lineOf is the line that puts a job. If there are several, each has a name of its own, with its number.
func (e *extras) lineOf(j *job, size, number int, several bool) (string, error) {
	once := e.Once
	if once != "" && several {
		once += "." + strconv.Itoa(number)
	}
	line := fmt.Sprintf("put-with %d pri=%d delay=%d ttr=%d %s",
		size, j.Pri, j.Delay, j.TTR, strings.Join(e.options(once), " "))
	if len(line) > longestLine {
		return "", usagef("-unique, -once and -tag are too long together")
	}
	return line, nil
}

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
	if twice(files, stdin) {
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
	if _, terminal := terminalRows(c.Stdout); terminal && !c.json {
		a.Quiet = true // for people, its progress says more than the ids
	}
	return c.withServer(func(s *server) error {
		ctx, end := interruptible(s)
		defer end()
		p := newPutting(ctx, c, s, a.Quiet)
		p.unit = "line"
		line := 0
		return p.end(eachLine(newStoppable(ctx, io.MultiReader(in...)), p.flush, func(text []byte) error {
			line++
			j, err := parseJob(text)
			if err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			if a.Tube != "" {
				j.Tube = string(a.Tube)
			}
			return p.put(j)
		}))
	})
}
