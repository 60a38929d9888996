package binlog

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

// Import is one import, as doc.go describes it.
type Import struct {
	From           string // beanstalkd's directory
	To             string // the new data directory
	Shards         int
	DryRun         bool // only report
	SkipUnreadable bool // leave out files of which nothing can be read
	Jobs           bool // list the jobs one by one
	JSON           bool // report as lines of JSON
	// Progress, if there is one, is called with each job that is written.
	Progress func(done, total int)

	files fs.FS // what is in From; nil: ask the operating system
}

// Flags makes a flag of every field but Progress.
func (o *Import) Flags(f *flag.FlagSet) {
	f.StringVar(&o.From, "from", "", "beanstalkd's `directory`, its -b")
	f.StringVar(&o.To, "to", "", "the new data `directory`: empty, or not there yet")
	f.IntVar(&o.Shards, "shards", min(runtime.GOMAXPROCS(0), router.MaxShards),
		"shards of the new directory; a server may use another `number`")
	f.BoolVar(&o.DryRun, "dry-run", false, "only report; write nothing")
	f.BoolVar(&o.SkipUnreadable, "skip-unreadable", false,
		"leave out files of which nothing can be read, instead of failing")
	f.BoolVar(&o.Jobs, "jobs", false, "list the jobs one by one")
	f.BoolVar(&o.JSON, "json", false, "report as lines of JSON")
}

// Check says what is missing on the command line, where words are what follows the
// flags.
func (o *Import) Check(words []string) error {
	switch {
	case len(words) > 0:
		return fmt.Errorf("what is %q?", words[0])
	case o.From == "":
		return errors.New("-from is missing")
	case o.To == "" && !o.DryRun:
		return errors.New("-to is missing; without it only -dry-run works")
	}
	return nil
}

// Run imports, and prints the report, also that of an import which fails because it
// cannot read whole files.
func (o *Import) Run(stdout io.Writer, logger *slog.Logger) error {
	rep, err := o.transfer(time.Now(), logger)
	if rep != nil {
		err = errors.Join(err, rep.print(stdout, o.JSON))
	}
	return err
}

// transfer reads the source and, unless it is a dry run, fills the target. If files
// are unreadable it returns an error and a report, which names them.
func (o *Import) transfer(now time.Time, logger *slog.Logger) (rep *report, err error) {
	if o.To != "" {
		if err := o.checkTarget(logger); err != nil {
			return nil, err
		}
	}
	files := o.files
	if files == nil {
		files = os.DirFS(o.From)
	}
	src, err := openSource(o.From, files)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	rep = &report{from: o.From, to: o.To, files: len(src.files), shards: o.Shards, dryRun: o.DryRun, list: o.Jobs}
	h, err := readAll(src, rep)
	if err != nil {
		return nil, err
	}
	rep.jobs, rep.lastID = h.settle(now.UnixNano()), h.maxID
	if err := rep.refusal(o.SkipUnreadable); err != nil || o.DryRun {
		return rep, err
	}
	if err := o.write(src, rep.jobs, h.maxID, logger); err != nil {
		return nil, err
	}
	rep.written = true
	return rep, nil
}

func (o *Import) write(src *source, jobs []moved, lastID uint64, logger *slog.Logger) error {
	in, err := pebblestore.NewIntake(o.target(logger), o.Shards, func(tube string) int {
		return router.ShardOf(tube, o.Shards)
	})
	if err != nil {
		return err
	}
	done := 0
	err = eachBody(src, jobs, func(j *moved, body []byte) error {
		done++
		if o.Progress != nil {
			o.Progress(done, len(jobs))
		}
		return in.Put(&j.Job, body)
	})
	if err != nil {
		return errors.Join(err, in.Abort())
	}
	return in.Finish(lastID)
}

func (o *Import) target(logger *slog.Logger) pebblestore.Options {
	return pebblestore.Options{Dir: o.To, Logger: logger}
}

// checkTarget returns an error if it is clear from the start that the target cannot
// be filled.
func (o *Import) checkTarget(logger *slog.Logger) error {
	var err error
	if o.Shards < 1 || o.Shards > router.MaxShards {
		err = fmt.Errorf("%d shards: must be from 1 to %d", o.Shards, router.MaxShards)
	}
	return errors.Join(err, pebblestore.CheckIntake(o.target(logger)), apart(o.From, o.To))
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
