package datadir

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/pebblestore"
	"beanfield/storage/pebblestore/repair"
)

// salvage copies what is readable of a damaged directory to a new one, which
// becomes a data directory when it has all of that, and not before.
func (o *Dump) salvage(out io.Writer, logger *slog.Logger) (err error) {
	if _, err := os.Stat(o.Dir); err != nil {
		return err
	}
	held, err := hold(o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if _, err := os.Lstat(o.Salvage); err == nil {
		return fmt.Errorf("%s exists: give a new name, or remove what is left of a salvage cut short", o.Salvage)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	shards := min(runtime.GOMAXPROCS(0), router.MaxShards)
	in, err := pebblestore.NewIntake(pebblestore.Options{Dir: o.Salvage, Logger: logger}, shards,
		func(tube string) int { return router.ShardOf(tube, shards) })
	if err != nil {
		return err
	}
	copied := 0
	found, err := repair.Salvage(o.Dir, nil, func(j *storage.Job, body []byte) error {
		copied++
		if o.Progress != nil {
			o.Progress(copied)
		}
		return in.Put(j, body)
	}, in.PutQueue)
	if err != nil {
		return errors.Join(err, in.Abort())
	}
	if err := in.Finish(found.MaxID); err != nil {
		return err
	}
	report(out, found)
	groups := ""
	if found.Queues > 0 {
		groups = fmt.Sprintf(", and the groups of %d queues", found.Queues)
	}
	_, err = fmt.Fprintf(out, "read %d files, copied %d jobs to %s%s\n", found.Files, found.Jobs, o.Salvage, groups)
	if err == nil && len(found.Damaged) > 0 {
		err = ErrIncomplete
	}
	return err
}

// ErrIncomplete says that a salvage is done and had to leave something out.
var ErrIncomplete = errors.New("something could not be read: jobs may be missing, deleted ones back, and others in " +
	"an older state")

// report says what could not be read, and which jobs that may have cost.
func report(out io.Writer, found repair.Salvaged) {
	for _, d := range found.Damaged {
		_, _ = fmt.Fprintf(out, "damaged: %s\n", d)
	}
	if found.MayBeBack > 0 {
		_, _ = fmt.Fprintf(out, "back: %d of the jobs may have been deleted before, because their deletes may have "+
			"been in what "+
			"could not be read, or in files that were no longer needed and are gone\n", found.MayBeBack)
	}
	if found.UnknownIDs > 0 {
		_, _ = fmt.Fprintf(out, "unknown: %d ids may have stood in what could not be read, and nothing else tells "+
			"of them; "+
			"their jobs are missing, or had been deleted: %s\n", found.UnknownIDs, found.Unknown)
	}
	if found.QueuesInDoubt {
		_, _ = fmt.Fprintln(out, "queues: the groups of the queue service may have been in what could not be read; "+
			"some may be missing or in an older state")
	}
	if len(found.Damaged) > 0 {
		_, _ = fmt.Fprintf(out, "the highest id seen is %d; jobs with higher ids may be missing too\n", found.MaxID)
	}
}
