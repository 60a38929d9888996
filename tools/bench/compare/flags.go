package compare

import (
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

type compareFlags struct {
	comparer
	rowList                     string
	beanfield, beanstalkd, fork string
	against                     string
	extra                       []peer
	write                       bool
	dir                         string
}

func Main(ctx context.Context, args []string) error {
	var c compareFlags
	f := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	c.pinning.Flags(f)
	f.StringVar(&c.rowList, "rows", firstSet, "`loads`, with commas: first, persistence, awaited, stalls, all, "+
		rowNames())
	f.IntVar(&c.rounds, "rounds", 3, "rounds of each row; in each, every server is measured once")
	f.DurationVar(&c.duration, "time", 2*time.Second, "length of one measurement")
	f.DurationVar(&c.warmup, "warmup", 300*time.Millisecond, "unmeasured time before it")
	f.IntVar(&c.repeats, "repeats", 2, "repeat a measurement up to so often when others use the machine")
	f.Float64Var(&c.scale, "scale", 1, "`times` as many jobs put beforehand as the rows say, to try them quickly")
	f.Uint64Var(&c.seed, "seed", 1, "seed of everything drawn at random")
	f.StringVar(&c.beanfield, "beanfield", "", "beanfield's `program`; default: built from this module")
	f.StringVar(&c.beanstalkd, "beanstalkd", "", "beanstalkd's `program`; default: the installed one, or Debian's, "+
		"which is downloaded")
	f.StringVar(&c.fork, "fork", "", "`program` of another server like beanstalkd, for the rows awaited; -b DIR -f "+
		"0 -D makes it durable")
	f.Func("peer", "a further server: `name=command`, or name@always=command; {port} and {dir} are filled in; may "+
		"be repeated",
		func(s string) error {
			p, err := parsePeer(s)
			c.extra = append(c.extra, p)
			return err
		})
	f.StringVar(&c.against, "against", "", "another beanfield's `program`: compare the two of them, and nothing "+
		"else, in short pairs")
	f.IntVar(&c.pairs, "pairs", 24, "with -against: pairs of each row, spread over the rounds; -time is then 0.4 s "+
		"if not given")
	f.StringVar(&c.data, "data", "", "`directory` for the servers' data; default: the system's for temporary files")
	f.BoolVar(&c.write, "write", false, "write results.md and results.svg")
	f.StringVar(&c.dir, "out", "tools/bench", "where -write writes them")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || c.rounds < 1 || c.pairs < 1 || c.repeats < 0 || c.scale <= 0 {
		return errors.New("bench compare takes no arguments besides flags, at least one round, and a positive scale")
	}
	c.settle = measure.Settle
	if c.against != "" {
		timed := false
		f.Visit(func(f *flag.Flag) { timed = timed || f.Name == "time" })
		if !timed {
			c.duration = pairTime
		}
	}
	c.out.Command = "bench compare " + strings.Join(args, " ")
	return c.main(ctx)
}

// warn tells people on the terminal; results go to standard output alone.
func warn(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (c *compareFlags) main(ctx context.Context) error {
	var err error
	if c.rows, err = chooseRows(c.rowList); err != nil {
		return err
	}
	if err := server.RaiseFileLimit(); err != nil {
		return err
	}
	if c.beanstalkd == "" && c.against == "" {
		if c.beanstalkd, err = server.Beanstalkd(ctx); err != nil {
			return err
		}
	}
	if c.beanfield == "" {
		dir, err := os.MkdirTemp("", "bench-build-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if c.beanfield, err = server.Beanfield(ctx, dir, "-pgo=auto"); err != nil {
			return err
		}
	}
	if c.against != "" {
		d := newDuel(&c.comparer, c.beanfield, c.against)
		err := d.run(ctx)
		fmt.Print(d.markdown()) // also what was measured before an error
		return err
	}
	c.peers = append(standardPeers(c.beanfield, c.beanstalkd), c.extra...)
	if c.fork != "" {
		c.peers = append(c.peers, forkPeers(c.fork)...)
	}
	if err := c.compare(ctx); err != nil {
		// What was measured so far may have taken hours: show it, but do not write it to files.
		c.write = false
		if len(c.out.Rows) > 0 {
			err = errors.Join(err, c.publish())
		}
		return err
	}
	return c.publish()
}

func (c *compareFlags) publish() error {
	fmt.Print(c.out.markdown())
	if !c.write {
		return nil
	}
	return errors.Join(
		os.WriteFile(c.dir+"/results.md", []byte(c.out.markdown()), 0o644),
		os.WriteFile(c.dir+"/results.svg", []byte(c.out.chart()), 0o644))
}
