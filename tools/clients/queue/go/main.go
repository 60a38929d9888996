package main

import (
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"
)

const timeLimit = 60 * time.Second // of the whole run

// Where the server is.
var workers, queues string

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: queueclient HOST PORT QUEUE_PORT")
		os.Exit(2)
	}
	workers, queues = net.JoinHostPort(os.Args[1], os.Args[2]), net.JoinHostPort(os.Args[1], os.Args[3])
	var c checks
	time.AfterFunc(timeLimit, func() {
		fmt.Fprintf(os.Stderr, "FAIL x/net/websocket: %s: not done after %v\n", c.section, timeLimit)
		os.Exit(1)
	})
	for _, s := range sections {
		c.run(s.name, s.play)
	}
	name := "x/net/websocket " + version()
	if c.failed > 0 {
		fmt.Printf("FAIL %s: %d of %d checks failed\n", name, c.failed, c.done)
		os.Exit(1)
	}
	fmt.Printf("ok   %s: %d checks\n", name, c.done)
}

// run plays one section on a queue of its own, so that a section that broke leaves
// nothing in the way of the next.
func (c *checks) run(section string, play func(*client)) {
	c.section = section
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			c.that("unexpected error", false, p.err)
		default:
			panic(p)
		}
	}()
	play(c.client("go-"+section, "u1"))
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "golang.org/x/net" {
				return d.Version
			}
		}
	}
	return "(unknown)"
}
