package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"beanfield/cmd/beanfield/command"
	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/cmd/beanfield/node"
	"beanfield/storage"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

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
	makeNode func(c *config.Config, version string, log *slog.Logger, p node.Passing) node.Node
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

// runCommand runs a subcommand if the command line does not begin with a flag.
func runCommand(args []string, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return 0, false
	}
	p := command.Program{
		Version: version, Commit: madeFrom(), Formats: formats(), Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
		Serve: func(flags []string) int { return run(flags, stdout, stderr) },
		Usage: config.Usage("beanfield"),
		Place: placeIn,
	}
	c := command.Find(args[0])
	if c == nil {
		return p.Unknown(args[0]), true
	}
	return p.Run(c, args[1:]), true
}

// misplaced reports a command behind flags, which are then taken for the server's.
func misplaced(args []string, stderr io.Writer) {
	for _, word := range args {
		if command.Find(word) != nil {
			fmt.Fprintf(stderr, "A command comes first, and its flags follow: beanfield %s [FLAGS]\n", word)
			return
		}
	}
}

// placeIn reads a configuration file: where its server is, for programs on this machine.
func placeIn(file string) (at command.Place, err error) {
	c, err := config.Load(config.Flags{File: file})
	if err != nil {
		return at, err
	}
	for _, l := range c.Listen {
		switch address := near(l.Address); {
		case l.Address.Path != "": // the process at the other end is known there
			at.Servers = append([]string{address}, at.Servers...)
		case l.TLS.Asked():
			at.Servers = append(at.Servers, "beanstalks://"+address)
		default:
			at.Servers = append(at.Servers, address)
		}
	}
	if c.Storage.Backend == config.OnDisk {
		at.Data, at.Backups = c.Storage.Path, c.BackupPath()
	}
	if c.Clustered() {
		at.Cluster = c.Cluster.Name
	}
	if len(c.HTTP.Listen) > 0 {
		at.Console = command.Console{Address: near(c.HTTP.Listen[0]), TLS: c.HTTP.TLS.Certs != nil}
	}
	if len(c.HTTP.Tokens) > 0 {
		at.Console.Token = c.HTTP.Tokens[0]
	}
	return at, nil
}

// near is the address for programs on this machine.
func near(a config.Address) string {
	if a.Path == "" && (a.Host == "" || net.ParseIP(a.Host).IsUnspecified()) {
		a.Host = "localhost"
	}
	return a.String()
}

// newLogger writes to w what the configuration asks for. Its words were checked
// when they were read. level can be changed later.
func newLogger(w io.Writer, c *config.Config, level *slog.LevelVar) *slog.Logger {
	level.Set(config.LevelOf(c.Log.Level))
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: nameNotice}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// nameNotice gives the level a name, which slog would write as INFO+2.
func nameNotice(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey && a.Value.Any() == config.LevelNotice {
		return slog.String(slog.LevelKey, "NOTICE")
	}
	return a
}

// notice logs a line that an operator should read although nothing is wrong.
func notice(log *slog.Logger, message string, values ...any) {
	log.Log(context.Background(), config.LevelNotice, message, values...)
}
