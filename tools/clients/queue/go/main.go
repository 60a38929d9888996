package main

import (
	"fmt"
	"net"
	"os"

	"beanfield/tools/clients/checks"
)

// queues is where the server has its queue service.
var queues string

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: queueclient HOST PORT QUEUE_PORT")
		os.Exit(2)
	}
	queues = net.JoinHostPort(os.Args[1], os.Args[3])
	c := checks.New("x/net/websocket")
	for _, part := range parts {
		// On a queue of its own, so that a part that broke leaves nothing in the way of the
		// next.
		c.Section(part.name, func() {
			s := &section{Checks: c}
			defer s.close()
			part.play(newClient(s, "go-"+part.name, "u1"))
		})
	}
	c.Report("golang.org/x/net")
}
