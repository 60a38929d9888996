package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"beanfield/tools/bench/compare"
	"beanfield/tools/bench/floor"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/bench/profile"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := dispatch(ctx, os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "compare":
			return compare.Main(ctx, args[1:])
		case "bare":
			return floor.Serve(ctx, args[1:])
		case "profile":
			return profile.Main(ctx, args[1:])
		}
	}
	return runMain(ctx, args)
}

// Options of a single run, besides the load.
type options struct {
	addr, server string
	queue        string
	secured      string
	pid          int
	pinning      measure.Pinning
	wait         string
	json, quiet  bool
}

func runMain(ctx context.Context, args []string) error {
	ld, o := load.Default(), options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	ld.Flags(f)
	o.pinning.Flags(f)
	f.StringVar(&o.addr, "addr", "127.0.0.1:11300", "server that is running: 127.0.0.1:PORT or unix:PATH")
	f.StringVar(&o.server, "server", "", "`command` that starts the server, for this run; {port}, {queue} and {dir} "+
		"are filled in")
	f.StringVar(&o.secured, "tls-addr", "", "its `address` for TLS (-tls)")
	f.StringVar(&o.queue, "queue", "", "`address` of its queue service (push, push-one, consumers, gets, and some "+
		"disturbances)")
	f.IntVar(&o.pid, "pid", 0, "process of the server at -addr, to measure its CPU and memory")
	f.StringVar(&o.wait, "wait", measure.WaitAuto, "how the generator waits for replies: spin, epoll, or auto (spin "+
		"when pinned)")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; compare must come first", f.Arg(0))
	}
	res, err := o.run(ctx, ld)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(res)
	}
	res.Print(os.Stdout)
	return nil
}

func (o *options) run(ctx context.Context, ld load.Load) (*result.Result, error) {
	if err := server.RaiseFileLimit(); err != nil {
		return nil, err
	}
	pinned := o.pinning.On && o.server != "" && runtime.NumCPU() > 1
	wait, err := measure.WaitFor(o.wait, pinned)
	if err != nil {
		return nil, err
	}
	set := generator.Settings{Wait: wait, Settle: measure.Settle, Say: tell}
	if o.quiet {
		set.Say = func(string, ...any) {}
	}
	if o.server != "" {
		return o.pinning.MeasureNew(ctx, pinned, server.Launch{Command: o.server}, ld, set)
	}
	return measure.Running(ctx, generator.Target{Addr: o.addr, Queue: o.queue, TLS: o.secured, PID: o.pid}, ld, set)
}

// tell tells people on the terminal; results go to standard output alone.
func tell(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
