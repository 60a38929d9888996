package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"syscall"
)

// portTries is how often another port is tried: only the server's own attempt to listen
// tells whether one is free.
const portTries = 20

// AskedAtStart is how often Run has asked a server for stats.
const AskedAtStart = 1

// Run starts a server with beanstalkd's flags for address and port added to its command,
// and returns once it answers. conn is the first connection that the server has seen.
func Run(ctx context.Context, command ...string) (p *Process, conn net.Conn, err error) {
	for range portTries {
		p, conn, err = try(ctx, command)
		if err == nil {
			return p, conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, nil, fmt.Errorf("start %v: %w", command, err)
}

func try(ctx context.Context, command []string) (*Process, net.Conn, error) {
	port, err := FreePort()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	args := append(slices.Clip(command), "-l", "127.0.0.1", "-p", strconv.Itoa(port))
	p, err := Start(io.Discard, localAddr(port), args...)
	if err != nil {
		return nil, nil, err
	}
	conn, err := p.Connect(ctx)
	if err == nil {
		if err = p.identify(conn); err == nil {
			return p, conn, nil
		}
		err = errors.Join(err, conn.Close())
	}
	p.End(syscall.SIGKILL)
	return nil, nil, err
}
