package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/cmd/beanfield/node"
	"beanfield/storage"
)

// run is the whole process; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if code, ok := runCommand(args, stdout, stderr); ok {
		return code
	}
	f, err := config.ParseFlags(args)
	if err != nil || f.Help || f.Version {
		complain(stderr, f.Warnings)
	}
	switch {
	case err != nil:
		complain(stderr, []string{err.Error()})
		fmt.Fprintln(stderr, "Use: beanfield [OPTIONS], or beanfield COMMAND [ARGUMENTS]")
		misplaced(args, stderr)
		fmt.Fprintln(stderr, "beanfield -h lists options and commands.")
		return exit.Code(err)
	case f.Help:
		fmt.Fprint(stderr, config.Usage(os.Args[0]))
		return exit.OK
	case f.Version:
		if _, err := fmt.Fprintln(stdout, "beanfield", version); err != nil {
			complain(stderr, []string{err.Error()})
			return exit.Failed
		}
		return exit.OK
	}
	c, err := config.Load(f)
	if err != nil {
		complain(stderr, f.Warnings)
		complain(stderr, strings.Split(err.Error(), "\n"))
		return exit.Code(err)
	}
	d := &daemon{flags: f, config: c, end: os.Exit, makeNode: node.New}
	d.log = newLogger(stderr, c, &d.level)
	log := d.log
	for _, w := range append(f.Warnings, c.Doubts()...) {
		log.Warn(w)
	}
	if f.Check {
		c.Keeper(log).Reload() // it warns of certificates that have expired
		err = config.Print(stdout, c, version)
	} else {
		d.garbage = garbageOf(c).bound()
		err = d.start()
	}
	if err != nil {
		log.Error("beanfield ends", "error", err)
	}
	return exit.Code(err)
}

// complain writes messages before the configuration of the log is known.
func complain(w io.Writer, lines []string) {
	for _, l := range lines {
		fmt.Fprintln(w, "beanfield: "+l)
	}
}

// daemon is what a reload needs of the start.
type daemon struct {
	flags   config.Flags
	config  *config.Config
	log     *slog.Logger
	level   slog.LevelVar // of log
	garbage *bounds
	end     func(code int) // of the process, when it must not wait
	// makeNode makes the process a node of a cluster.
	makeNode func(c *config.Config, version string, log *slog.Logger) node.Node
}

// start listens for signals and runs.
func (d *daemon) start() error {
	d.log.Info("starting", "version", version, "pid", os.Getpid(), "storage", d.config.Storage.Backend, "shards",
		config.ShardCount(d.config))
	return d.run(watchSignals(d.log, d.end))
}

// run starts the parts, from the sockets inwards, and ends them in the opposite
// order. Sockets come first because they may need root, and because clients that
// connect while jobs are recovered then wait instead of failing.
func (d *daemon) run(sig *signals) error {
	c, log, steps := d.config, d.log, new(storage.Steps)
	started := watchStart(steps, log)
	defer started()
	step := steps.Begin("binding the addresses", "")
	ls, inherited, err := listeners.Open(sig.stop, c, log)
	step.End()
	if sig.stop.Err() != nil {
		listeners.CloseAll(ls)
		return nil // told to end already, perhaps while a name was looked up
	}
	if err != nil {
		return err
	}
	defer listeners.CloseAll(ls)
	if c.Account != nil {
		if err := c.Account.Become(); err != nil {
			return err
		}
	}
	keeper := c.Keeper(log)
	go keeper.Watch(sig.stop)
	step = steps.Begin("making the servers", "")
	srv, err := newFronts(c, keeper, log)
	step.End()
	if err != nil {
		return err
	}
	srv.reloader = d.reloader(srv.change)
	srv.begin(ls)
	l := &life{daemon: d, sig: sig, srv: srv, ls: ls}
	if c.Clustered() {
		return l.join(inherited, steps, started)
	}
	_, err = l.hold(node.Endless{}, steps, func() {
		watch(srv.stuck, log)
		started()
	})
	return err
}
