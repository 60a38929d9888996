package main

import (
	"errors"
	"io"
	"os"

	"beanfield/cmd/beanfield/command"
)

// runCommand runs a subcommand if the first word of the command line names one.
func runCommand(args []string, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	c := command.Find(args[0])
	if c == nil {
		return 0, false
	}
	p := command.Program{
		Version: version, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
		Serve:   func(flags []string) int { return run(flags, stdout, stderr) },
		Usage:   usage("beanfield"),
		Backups: backupsOf,
	}
	return p.Run(c, args[1:]), true
}

// backupsOf reads a configuration file: the data directory, and where its backups go.
func backupsOf(file string) (data, backups string, err error) {
	c, err := loadConfig(flags{config: file})
	if err != nil {
		return "", "", err
	}
	if c.Storage.Backend == inMemory {
		return "", "", errors.New(file + " has no data directory: jobs are kept in memory only")
	}
	return c.Storage.Path, c.backupPath(), nil
}
