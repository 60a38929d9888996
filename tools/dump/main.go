package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
)

type options struct {
	dir                   string
	json, bodies, summary bool
	salvage               string
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
	out := bufio.NewWriter(stdout)
	if o.salvage != "" {
		err = salvage(o, out, logger)
	} else {
		err = dump(o, out, logger)
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		_, _ = fmt.Fprintf(stderr, "dump: %v\n", err)
		if errors.Is(err, errIncomplete) {
			return 3
		}
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("dump", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: dump [flags] DIR")
		f.PrintDefaults()
	}
	f.BoolVar(&o.json, "json", false, "print lines of JSON")
	f.BoolVar(&o.bodies, "bodies", false, "print the bodies too")
	f.BoolVar(&o.summary, "summary", false, "print only the tubes and the total")
	f.StringVar(&o.salvage, "salvage", "", "copy what is readable of a damaged DIR to the new `directory`")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() != 1 {
		err = errors.New("one directory, please, behind the flags")
	} else if o.dir = f.Arg(0); o.salvage != "" && (o.bodies || o.summary || o.json) {
		err = errors.New("-salvage goes with no other flag")
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "dump: %v\n", err)
		f.Usage()
	}
	return o, err
}
