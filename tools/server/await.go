package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

const (
	// startWithin bounds the wait for a server that was just started.
	startWithin = 30 * time.Second
	// dialPace is how often a server that does not listen yet is tried.
	dialPace = time.Millisecond
)

// Connect connects as soon as the server lets it.
func (p *Process) Connect(ctx context.Context) (net.Conn, error) {
	retry := time.NewTicker(dialPace)
	defer retry.Stop()
	for {
		conn, err := net.Dial("tcp", p.Addr)
		if err == nil {
			return conn, nil
		}
		select {
		case <-retry.C:
		case <-p.exited:
			return nil, fmt.Errorf("%v ended at once (%v): %s", p.cmd.Args, p.cmd.ProcessState, p.said)
		case <-ctx.Done():
			return nil, fmt.Errorf("%v does not accept connections at %s: %w; %w; it said: %s", p.cmd.Args, p.Addr, err, ctx.Err(), p.said)
		}
	}
}

// errStranger says that another process answers.
var errStranger = errors.New("another process serves the port")

// identify makes sure that the process started is the one that answers. It asks for
// stats once.
func (p *Process) identify(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(startWithin)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "stats\r\n"); err != nil {
		return err
	}
	// The reply is the only one, so nothing behind it is read ahead.
	r := bufio.NewReader(conn)
	head, err := r.ReadString('\n')
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	size, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "OK ")))
	if err != nil || size < 0 || size > 1<<20 {
		return fmt.Errorf("%w: stats was answered %.80q", errStranger, head)
	}
	text := make([]byte, size+2)
	if _, err := io.ReadFull(r, text); err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	if want := fmt.Sprintf("\npid: %d\n", p.PID()); !strings.Contains(string(text), want) {
		return fmt.Errorf("%w: process %d is not in its stats", errStranger, p.PID())
	}
	return conn.SetDeadline(time.Time{})
}
