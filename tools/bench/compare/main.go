package compare

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"beanfield/tools/bench/measure"
	"beanfield/tools/server"
)

// Main is bench compare.
func Main(ctx context.Context, args []string) error {
	c := comparer{pin: measure.Can(), settle: measure.Settle, warmup: 300 * time.Millisecond}
	f := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	list := f.String("rows", "first", "`loads`, with commas: "+rowNames())
	f.IntVar(&c.rounds, "rounds", 3, "rounds of each row; in each, every server is measured once")
	f.DurationVar(&c.duration, "time", 0, "length of one measurement; default: 2 s, with -against 0.4 s")
	f.IntVar(&c.repeats, "repeats", 2, "repeat a measurement up to so often when others use the machine")
	f.Float64Var(&c.scale, "scale", 1, "`times` as many jobs put beforehand as the rows say, to try them quickly")
	program := f.String("beanfield", "", "beanfield's `program`; default: built from this module")
	against := f.String("against", "", "another beanfield's `program`: compare the two of them, and nothing else, "+
		"in short pairs")
	f.IntVar(&c.pairs, "pairs", 24, "with -against: pairs of each row, spread over the rounds")
	write := f.Bool("write", false, "write results.md and results.svg into tools/bench")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || c.rounds < 1 || c.pairs < 1 || c.repeats < 0 || c.scale <= 0 {
		return errors.New("bench compare takes no arguments besides flags, at least one round, and a positive scale")
	}
	usual := 2 * time.Second
	if c.against = *against != ""; c.against {
		usual, c.warmup = 400*time.Millisecond, 100*time.Millisecond
	}
	c.duration = cmp.Or(c.duration, usual)
	var err error
	if c.rows, err = chooseRows(*list); err != nil {
		return err
	}
	if *program == "" {
		dir, err := os.MkdirTemp("", "bench-build-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if *program, err = server.Beanfield(ctx, dir, "-pgo=auto"); err != nil {
			return err
		}
	}
	if err := c.choosePeers(ctx, *program, *against); err != nil {
		return err
	}
	// What was measured before an error may have taken hours: it is shown, but not written to files.
	err = c.compare(ctx)
	if c.against {
		fmt.Print(c.builds())
		return err
	}
	date := time.Now().Format("2006-01-02")
	text := c.markdown(ctx, date, "bench compare "+strings.Join(args, " "))
	fmt.Print(text)
	if err != nil || !*write {
		return err
	}
	return errors.Join(
		os.WriteFile("tools/bench/results.md", []byte(text), 0o644),
		os.WriteFile("tools/bench/results.svg", []byte(c.chart(date)), 0o644))
}

// choosePeers are beanfield and beanstalkd, or two builds of beanfield.
func (c *comparer) choosePeers(ctx context.Context, program, against string) error {
	base := peer{Name: against, Command: against, ours: true}
	one := peer{Name: beanfield, Command: program, ours: true}
	if c.against {
		one.Name = program
	} else {
		path, err := server.Beanstalkd(ctx)
		if err != nil {
			return err
		}
		base = peer{Name: beanstalkd, Command: path, baseline: true}
	}
	if c.peers = standardPeers(one, base); c.against {
		c.peers = c.peers[:len(c.peers)-2] // without the floors
	}
	return server.RaiseFileLimit()
}
