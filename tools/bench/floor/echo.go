package floor

import (
	"context"
	"flag"
	"fmt"
	"net"
)

// Echo is the floor in comparisons: the least that a server in Go on package
// net can do for the same messages, one read and one write for each batch, no queue.
func Echo(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench echo", flag.ContinueOnError)
	port := f.Int("p", 0, "port on 127.0.0.1")
	if err := f.Parse(args); err != nil {
		return err
	}
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return err
	}
	// main catches SIGTERM: without this the server would go on until it is killed.
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go echo(c)
	}
}

func echo(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}
