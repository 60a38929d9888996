package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"beanfield/tools/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	equal, err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(2)
	case !equal:
		os.Exit(1)
	}
}

// leastCommands is how many commands a whole run compares at least: if the seeds
// asked for have fewer, more seeds follow.
const leastCommands = 100_000

// patience is how long a reply that is due may take.
const patience = 10 * time.Second

// options are the flags.
type options struct {
	seed      int64
	seeds     int
	steps     int
	table     string
	reference string
	subject   string
	same      bool
	reworded  bool
	through   string
	repeat    string // the flags that a repeating run needs besides what it repeats
}

func parseFlags(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("compat", flag.ContinueOnError)
	f.SetOutput(out)
	f.Int64Var(&o.seed, "seed", -1, "run this seed alone, without the table")
	f.IntVar(&o.seeds, "seeds", 25, "how many random runs; 0 for the table alone")
	f.IntVar(&o.steps, "steps", 1300, "steps of each random run; a step is one or more commands of one connection")
	f.StringVar(&o.table, "table", "", "run the table's cases whose names match this regular expression, and no "+
		"random runs")
	f.StringVar(&o.reference, "reference", "", "command of the reference; default Debian's beanstalkd, fetched when "+
		"missing")
	f.StringVar(&o.subject, "subject", "", "command of the subject, which is given -l, -p and -z and quotes no "+
		"strings in stats; default beanfield, built for the occasion, in all its forms")
	f.BoolVar(&o.same, "same", false, "the subject is a beanstalkd too: nothing may differ, not even on purpose")
	f.BoolVar(&o.reworded, "reworded", false, "random runs alone; the subject is told some commands in words that "+
		"only it has, and that mean the same")
	f.StringVar(&o.through, "through", "", "the subject is a cluster, reached by a node that does not serve: plain, or "+
		"tls")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	f.Visit(func(given *flag.Flag) {
		if !strings.Contains("seed seeds steps table", given.Name) {
			o.repeat += fmt.Sprintf(" -%s='%s'", given.Name, given.Value)
		}
	})
	if f.NArg() > 0 {
		return o, fmt.Errorf("what is %q? there are only flags", f.Arg(0))
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) (equal bool, err error) {
	o, err := parseFlags(args, out)
	if err != nil {
		return false, err
	}
	match, err := regexp.Compile(o.table)
	if err != nil {
		return false, fmt.Errorf("-table: %w", err)
	}
	dir, err := os.MkdirTemp("", "compat")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p, err := o.programs(ctx, dir)
	if err != nil {
		return false, err
	}
	r := &report{out: out, repeat: o.repeat}
	if o.seed < 0 && !o.reworded {
		r.table(runTable(ctx, p, match))
	}
	if o.table == "" {
		if err := o.random(ctx, p, r); err != nil {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if r.lines+r.commands == 0 {
		return false, errors.New("nothing was compared")
	}
	return r.summary(), nil
}

// programs finds, fetches and builds what is compared.
func (o options) programs(ctx context.Context, dir string) (programs, error) {
	p := programs{same: o.same, reworded: o.reworded, through: o.through != "", patience: patience}
	p.reference = strings.Fields(o.reference)
	if len(p.reference) == 0 {
		path, err := server.Beanstalkd(ctx)
		if err != nil {
			return p, err
		}
		p.reference = []string{path}
	}
	if command := strings.Fields(o.subject); len(command) > 0 {
		p.subject = map[form][]string{never: command}
		return p, nil
	}
	path, err := server.Beanfield(ctx, dir)
	if err != nil {
		return p, err
	}
	command := []string{path}
	if o.through != "" {
		if command, err = through(ctx, dir, path, o.through); err != nil {
			return p, err
		}
	}
	p.subject, err = configure(dir, command)
	return p, err
}

// through is the command of a cluster whose clients come to a node that does not serve.
func through(ctx context.Context, dir, program, how string) ([]string, error) {
	cluster, err := server.Cluster(ctx, dir)
	command := []string{cluster, "-through", "-server", program}
	switch how {
	case "plain":
	case "tls":
		command = append(command, "-tls")
	default:
		err = fmt.Errorf("-through is plain or tls, not %q", how)
	}
	return command, err
}

// seedWorkers is how many seeds run at a time: they sometimes wait for a clock.
const seedWorkers = 3

// random runs the seeds, and more until enough commands were compared.
func (o options) random(ctx context.Context, p programs, r *report) error {
	if o.seed >= 0 {
		return o.batch(ctx, p, r, []uint64{uint64(o.seed)})
	}
	next, want := uint64(0), o.seeds
	for want > 0 && ctx.Err() == nil {
		var seeds []uint64
		for range want {
			next++
			seeds = append(seeds, next)
		}
		if err := o.batch(ctx, p, r, seeds); err != nil {
			return err
		}
		want = 0
		if r.failed == 0 && r.commands < leastCommands && !o.reworded && o.through == "" {
			want = seedWorkers
		}
	}
	return nil
}

// batch runs some seeds side by side, and reports them in their order.
func (o options) batch(ctx context.Context, p programs, r *report, seeds []uint64) error {
	runs, errs := make([]*randomRun, len(seeds)), make([]error, len(seeds))
	sideBySide(ctx, seedWorkers, len(seeds), func(i int) {
		fair(fmt.Sprint("seed ", seeds[i]), func() []error {
			if runs[i], errs[i] = runSeed(ctx, p, seeds[i], o.steps); errs[i] != nil {
				return nil
			}
			return []error{runs[i].differs}
		})
	})
	for i, run := range runs {
		if errs[i] != nil {
			return errs[i]
		}
		if run != nil {
			r.seed(run)
		}
	}
	return nil
}

// sideBySide does n things, so many at a time.
func sideBySide(ctx context.Context, atOnce, n int, do func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if ctx.Err() == nil {
				do(i)
			}
		})
	}
	wg.Wait()
}
