package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"beanfield/router"
	"beanfield/storage/pebblestore"
)

type options struct {
	from, to           string
	shards             int
	dryRun, json, jobs bool
	skipUnreadable     bool
	files              fs.FS // what is in from; nil: ask the operating system
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	rep, err := transfer(o, time.Now(), logger)
	if rep != nil {
		err = errors.Join(err, rep.print(stdout, o.json))
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "import: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("import", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.from, "from", "", "beanstalkd's `directory`, its -b")
	f.StringVar(&o.to, "to", "", "the new data `directory`: empty, or not there yet")
	f.IntVar(&o.shards, "shards", min(runtime.GOMAXPROCS(0), router.MaxShards), "shards of the new directory; a server may use another number")
	f.BoolVar(&o.dryRun, "dry-run", false, "only report; nothing is written")
	f.BoolVar(&o.skipUnreadable, "skip-unreadable", false, "leave out files of which nothing can be read, instead of failing")
	f.BoolVar(&o.jobs, "jobs", false, "list the jobs one by one")
	f.BoolVar(&o.json, "json", false, "report as lines of JSON")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("what is %q?", f.Arg(0))
	case o.from == "":
		err = errors.New("-from is missing")
	case o.to == "" && !o.dryRun:
		err = errors.New("-to is missing; without it only -dry-run works")
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "import: %v\n", err)
		f.Usage()
	}
	return o, err
}

// transfer reads the source and, unless it is a dry run, fills the target. If files
// are unreadable it returns an error and a report, which names them.
func transfer(o options, now time.Time, logger *slog.Logger) (rep *report, err error) {
	if o.to != "" {
		if err := o.checkTarget(logger); err != nil {
			return nil, err
		}
	}
	if o.files == nil {
		o.files = os.DirFS(o.from)
	}
	src, err := openSource(o.from, o.files)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	rep = &report{from: o.from, to: o.to, files: len(src.files), shards: o.shards, dryRun: o.dryRun, list: o.jobs}
	h, err := readAll(src, rep)
	if err != nil {
		return nil, err
	}
	rep.jobs, rep.lastID = h.settle(now.UnixNano()), h.maxID
	if err := rep.refusal(o.skipUnreadable); err != nil || o.dryRun {
		return rep, err
	}
	if err := write(o, src, rep.jobs, h.maxID, logger); err != nil {
		return nil, err
	}
	rep.written = true
	return rep, nil
}

func write(o options, src *source, jobs []moved, lastID uint64, logger *slog.Logger) error {
	in, err := pebblestore.NewIntake(o.target(logger), o.shards, func(tube string) int { return router.ShardOf(tube, o.shards) })
	if err != nil {
		return err
	}
	err = eachBody(src, jobs, func(j *moved, body []byte) error { return in.Put(&j.Job, body) })
	if err != nil {
		return errors.Join(err, in.Abort())
	}
	return in.Finish(lastID)
}

func (o *options) target(logger *slog.Logger) pebblestore.Options {
	return pebblestore.Options{Dir: o.to, Logger: logger}
}

// checkTarget returns an error if it is clear from the start that the target cannot
// be filled.
func (o *options) checkTarget(logger *slog.Logger) error {
	var err error
	if o.shards < 1 || o.shards > router.MaxShards {
		err = fmt.Errorf("%d shards: must be from 1 to %d", o.shards, router.MaxShards)
	}
	return errors.Join(err, pebblestore.CheckIntake(o.target(logger)), apart(o.from, o.to))
}

// apart refuses a target inside the source, which must not change.
func apart(from, to string) error {
	from, err := realPath(from)
	if err != nil {
		return err
	}
	to, err = realPath(to)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(from, to)
	if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s is inside %s, which is only read", to, from)
	}
	return nil
}

// realPath resolves symbolic links in the part of a path that exists.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) && filepath.Dir(path) != path {
		parent, err := realPath(filepath.Dir(path))
		return filepath.Join(parent, filepath.Base(path)), err
	}
	return resolved, err
}
