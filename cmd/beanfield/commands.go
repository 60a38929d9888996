package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"beanfield/cmd/beanfield/command"
)

// runCommand runs a subcommand if the command line does not begin with a flag.
func runCommand(args []string, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return 0, false
	}
	p := command.Program{
		Version: version, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
		Serve:   func(flags []string) int { return run(flags, stdout, stderr) },
		Usage:   usage("beanfield"),
		Backups: backupsOf,
		Console: consoleOf,
		Node:    nodeOf,
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

// consoleOf reads a configuration file: where the console is, for programs on this machine.
func consoleOf(file string) (at command.Console, err error) {
	c, err := loadConfig(flags{config: file})
	if err != nil {
		return at, err
	}
	if len(c.HTTP.Listen) == 0 {
		return at, errors.New(file + " has no http.listen: the server tells what was slow over HTTP")
	}
	a := c.HTTP.Listen[0]
	if at.Address = a.String(); a.path == "" && (a.host == "" || net.ParseIP(a.host).IsUnspecified()) {
		at.Address = net.JoinHostPort("localhost", strconv.Itoa(a.port))
	}
	if at.TLS = c.HTTP.TLS.certs != nil; len(c.HTTP.Tokens) > 0 {
		at.Token = c.HTTP.Tokens[0]
	}
	return at, nil
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

// nodeOf reads a configuration file: the name of the cluster, and the data directory of this node.
func nodeOf(file string) (cluster, data string, err error) {
	c, err := loadConfig(flags{config: file})
	if err == nil && !c.clustered() {
		err = errors.New(file + " has no [cluster]: it is that of a server by itself")
	}
	if err != nil {
		return "", "", err
	}
	return c.Cluster.Name, c.Storage.Path, nil
}
