package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"beanfield/cmd/beanfield/command"
	"beanfield/cmd/beanfield/config"
)

// runCommand runs a subcommand if the command line does not begin with a flag.
func runCommand(args []string, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return 0, false
	}
	p := command.Program{
		Version: version, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
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
