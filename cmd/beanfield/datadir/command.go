package datadir

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"log/slog"
)

// Dump is what to show of a data directory, or where to salvage it to.
type Dump struct {
	Dir     string
	JSON    bool   // print lines of JSON
	Bodies  bool   // print the bodies too
	Summary bool   // print only the tubes and the total
	Salvage string // the new directory; "": only dump
	// Progress, if there is one, is called with each job that a salvage has copied.
	Progress func(copied int)
}

// Flags makes a flag of every field but Dir and Progress.
func (o *Dump) Flags(f *flag.FlagSet) {
	f.BoolVar(&o.JSON, "json", false, "print lines of JSON")
	f.BoolVar(&o.Bodies, "bodies", false, "print the bodies too")
	f.BoolVar(&o.Summary, "summary", false, "print only the tubes and the total")
	f.StringVar(&o.Salvage, "salvage", "", "copy what is readable of a damaged DIR to the new `directory`")
}

// Check takes Dir from the words of the command line that are no flags.
func (o *Dump) Check(words []string) error {
	if len(words) != 1 {
		return errors.New("name one directory")
	}
	if o.Salvage != "" && (o.Bodies || o.Summary || o.JSON) {
		return errors.New("-salvage cannot be combined with other flags")
	}
	o.Dir = words[0]
	return nil
}

// Run prints or salvages. It returns ErrIncomplete if a salvage is done but had to
// leave something out.
func (o *Dump) Run(stdout io.Writer, logger *slog.Logger) error {
	out := bufio.NewWriter(stdout)
	var err error
	if o.Salvage != "" {
		err = o.salvage(out, logger)
	} else {
		err = o.dump(out, logger)
	}
	return errors.Join(err, out.Flush())
}
