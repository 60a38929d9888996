//go:build linux

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

// wanted are the flags that a comparer has no place for.
type wanted struct {
	rows, program, against, resume string
	peers, write                   bool
}

// flags are those of bench compare.
func flags(c *comparer, w *wanted) *flag.FlagSet {
	f := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	f.StringVar(&w.rows, "rows", "", "`loads`, with commas; default: first, with -peers all: "+rowNames(rows)+
		"; with -peers "+rowNames(peerRows))
	f.BoolVar(&w.peers, "peers", false, "beside other queue servers: Redis, NATS JetStream, RabbitMQ")
	f.StringVar(&w.resume, "resume", "", "keep each measurement in `FILE`, and do not repeat those that it has")
	f.IntVar(&c.rounds, "rounds", 3, "rounds of each row; in each, every server is measured once")
	f.DurationVar(&c.duration, "time", 0, "length of one measurement; default: 2 s, with -against 0.4 s")
	f.IntVar(&c.repeats, "repeats", 2, "repeat a measurement up to so often when others use the machine")
	f.Float64Var(&c.scale, "scale", 1, "`times` as many jobs put beforehand as the rows say, to try them quickly")
	f.StringVar(&w.program, "beanfield", "", "beanfield's `program`; default: built from this module")
	f.StringVar(&w.against, "against", "", "another beanfield's `program`: compare the two of them, and nothing else, "+
		"in short pairs")
	f.IntVar(&c.pairs, "pairs", 24, "with -against: pairs of each row, spread over the rounds")
	f.DurationVar(&c.within, "within", 2*time.Minute, "with -peers: one that does not take a backlog in this time is "+
		"left out of the row")
	f.BoolVar(&w.write, "write", false, "write results.md and results.svg, with -peers peers.md and peers.svg, into "+
		"tools/bench")
	return f
}

// Main is bench compare.
func Main(ctx context.Context, args []string) error {
	c := comparer{pin: measure.Can(), settle: measure.Settle, warmup: 300 * time.Millisecond}
	var w wanted
	f := flags(&c, &w)
	if err := f.Parse(args); err != nil {
		return err
	}
	c.against = w.against != ""
	switch {
	case w.peers && c.against:
		return errors.New("-peers and -against exclude each other")
	case f.NArg() > 0 || c.rounds < 1 || c.pairs < 1 || c.repeats < 0 || c.scale <= 0:
		return errors.New("bench compare takes no arguments besides flags, at least one round, and a positive scale")
	}
	usual := 2 * time.Second
	if c.against {
		usual, c.warmup = 400*time.Millisecond, 100*time.Millisecond
	}
	c.duration = cmp.Or(c.duration, usual)
	var err error
	known, usually, files := rows, "first", "results"
	if w.peers {
		known, usually, files = peerRows, "all", "peers"
	}
	if c.rows, err = chooseRows(known, cmp.Or(w.rows, usually)); err != nil {
		return err
	}
	if c.kept, err = keepIn(w.resume); err != nil {
		return err
	}
	if w.program == "" {
		dir, err := os.MkdirTemp("", "bench-build-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if w.program, err = server.Beanfield(ctx, dir, "-pgo=auto"); err != nil {
			return err
		}
	}
	if err := c.choosePeers(ctx, &w); err != nil {
		return err
	}
	// What was measured before an error may have taken hours: it is shown, but not written to files.
	err = c.compare(ctx)
	if c.against {
		fmt.Print(c.builds())
		return err
	}
	return errors.Join(err, c.report(ctx, args, w.write && err == nil, "tools/bench/"+files))
}

// report prints the results, and writes them into files if that is wanted.
func (c *comparer) report(ctx context.Context, args []string, write bool, files string) error {
	date := time.Now().Format("2006-01-02")
	text := c.markdown(ctx, date, "bench compare "+strings.Join(args, " "))
	fmt.Print(text)
	if !write {
		return nil
	}
	return errors.Join(os.WriteFile(files+".md", []byte(text), 0o644),
		os.WriteFile(files+".svg", []byte(c.chart(date)), 0o644))
}

// choosePeers are beanfield and beanstalkd, or all queue servers, or two builds of beanfield.
func (c *comparer) choosePeers(ctx context.Context, w *wanted) error {
	base := peer{Name: w.against, Command: w.against, ours: true}
	one := peer{Name: beanfield, Command: w.program, ours: true}
	if c.against {
		one.Name = w.program
	} else {
		path, err := server.Beanstalkd(ctx)
		if err != nil {
			return err
		}
		if w.peers {
			c.peers = allPeers(w.program, path)
			return server.RaiseFileLimit()
		}
		base = peer{Name: beanstalkd, Command: path, baseline: true}
	}
	if c.peers = standardPeers(one, base); c.against {
		c.peers = c.peers[:len(c.peers)-2] // without the floors
	}
	return server.RaiseFileLimit()
}
