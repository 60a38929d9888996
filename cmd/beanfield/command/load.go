package command

import (
	"fmt"
	"io"
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
	if _, _, terminal := terminalSize(c.Stdout); terminal && !c.json {
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
