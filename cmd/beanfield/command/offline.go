package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"beanfield/cmd/beanfield/binlog"
	"beanfield/cmd/beanfield/datadir"
)

// importing is the command import.
type importing struct{ binlog.Import }

func (a *importing) run(c *call) error {
	if err := a.Check(c.words); err != nil {
		return usageError{err}
	}
	show := c.progress("import", 0)
	a.Progress = func(done, total int) {
		show.total.Store(int64(total))
		show.set(done)
	}
	if a.To != "" && !a.DryRun {
		ctx, end := interruptible()
		defer end()
		defer context.AfterFunc(ctx, func() {
			show.done()
			fmt.Fprintf(c.Stderr, "beanfield import: interrupted: unless it had just ended, %s is no data directory "+
				"yet, and the next import starts over in it\n", a.To)
			os.Exit(codeFailed) // at any moment: see the package binlog
		})()
	}
	return c.quietly(show, func(out io.Writer) error { return a.Run(out, c.logger()) })
}

// quietly does what prints only once nothing is shown any more.
func (c *call) quietly(show *progress, do func(out io.Writer) error) error {
	var found bytes.Buffer
	err := do(&found)
	show.done()
	_, failed := found.WriteTo(c.Stdout)
	return errors.Join(err, failed)
}

// dumping is the command dump.
type dumping struct{ datadir.Dump }

func (a *dumping) run(c *call) error {
	if err := a.Check(c.words); err != nil {
		return usageError{err}
	}
	if a.Salvage == "" {
		return a.Run(c.Stdout, c.logger())
	}
	show := c.progress("salvage", 0)
	a.Progress = show.set
	return c.quietly(show, func(out io.Writer) error { return a.Run(out, c.logger()) })
}
