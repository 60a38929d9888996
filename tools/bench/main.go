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
			return compareMain(ctx, args[1:])
		case "echo":
			return echoServer(ctx, args[1:])
		}
	}
	return runMain(ctx, args)
}

// Options of a single run, besides the load.
type options struct {
	addr, server string
	pid, threads int
	pinning      pinning
	spin         string
	syscalls     bool
	json, quiet  bool
	echo         bool
}

func runMain(ctx context.Context, args []string) error {
	ld, o := defaultLoad(), options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	ld.flags(f)
	o.pinning.flags(f)
	f.StringVar(&o.addr, "addr", "127.0.0.1:11300", "server that is running: 127.0.0.1:PORT or unix:PATH")
	f.StringVar(&o.server, "server", "", "`command` that starts the server, for this run; {port} and {dir} are filled in")
	f.IntVar(&o.pid, "pid", 0, "process of the server at -addr, to measure its CPU and memory")
	f.IntVar(&o.threads, "threads", 1, "generator threads")
	f.StringVar(&o.spin, "spin", spinAuto, "auto, on, off: look for replies without ever sleeping (auto: when pinned)")
	f.BoolVar(&o.syscalls, "syscalls", false, "count the server's system calls afterwards, with perf or strace")
	f.BoolVar(&o.echo, "echo", false, "the server sends back what it gets; -server '{self} echo -p {port}' starts one")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; compare must come first", f.Arg(0))
	}
	if o.threads < 1 || o.threads > 64 || ld.Connections < o.threads {
		return errors.New("-threads must lie between 1 and 64, and not above -c")
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
	res.print(os.Stdout)
	return nil
}

func (o *options) run(ctx context.Context, ld load) (*result, error) {
	if err := raiseFileLimit(); err != nil {
		return nil, err
	}
	pinned := o.pinning.on && o.server != "" && runtime.NumCPU() > 1
	spin, err := spins(o.spin, pinned)
	if err != nil {
		return nil, err
	}
	set := settings{threads: o.threads, spin: spin, syscalls: o.syscalls, settle: settle, say: warn}
	if o.quiet {
		set.say = func(string, ...any) {}
	}
	if o.server != "" {
		return o.pinning.measureNew(ctx, pinned, launch{command: o.server}, o.echo, ld, set)
	}
	return measure(ctx, target{addr: o.addr, pid: o.pid, echo: o.echo}, ld, set)
}

// raiseFileLimit allows as many descriptors as the system permits. Set explicitly,
// since servers that are started here shall have it too.
func raiseFileLimit() error {
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil {
		return err
	}
	lim.Cur = lim.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lim)
}

// warn tells people on the terminal; results go to standard output alone.
func warn(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
