package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

const (
	// portTries is how often another port is tried: only the server's own attempt to listen tells whether one is free.
	portTries = 20
	// AskedAtStart is how often Run has asked a server for stats.
	AskedAtStart = 1
	// movedPace is how often a cluster is asked in which nobody serves.
	movedPace = 50 * time.Millisecond
)

// endWithin is how long a server may take to end that does not have its port.
var endWithin = 10 * time.Second

// errTaken says that another process has the port.
var errTaken = errors.New("another process serves the port")

// Run prepares and starts a server that speaks beanstalk's protocol, and returns once it answers; or the reason for
// which it does not, which is ErrNotStarted and has what the server printed. conn is the first connection that it has
// seen.
func (how Launch) Run(ctx context.Context) (s *Launched, conn net.Conn, err error) {
	for range portTries {
		if s, err = how.Prepare(); err != nil {
			return nil, nil, err
		}
		if conn, err = s.answer(ctx); err == nil {
			return s, conn, nil
		}
		s.Kill()
		if ctx.Err() != nil || !errors.Is(err, errTaken) {
			break
		}
	}
	return nil, nil, fmt.Errorf("start %q: %w", how.Command, err)
}

// answer starts the process, and makes sure that it is the one that answers.
func (s *Launched) answer(ctx context.Context) (net.Conn, error) {
	if err := s.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	conn, err := s.Connect(ctx)
	if err == nil {
		if err = s.identify(conn); err == nil {
			return conn, nil
		}
		conn.Close()
		// This one has ended or is about to: it never had the port, or it did not like its data, before which it
		// listens.
		select {
		case <-s.exited:
			err = s.Died()
		case <-time.After(endWithin):
		}
	}
	if strings.Contains(strings.ToLower(s.Said()), "address already in use") {
		err = fmt.Errorf("%w: %w", errTaken, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
}

// identify asks for stats once, and compares the process that they tell of.
func (s *Launched) identify(conn net.Conn) error {
	// The reply is the only one, so nothing behind it is read ahead.
	stats, err := client.On(conn, s.Addr, startWithin).Stats("stats")
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	if stats.Number("pid") != int64(s.PID()) {
		return fmt.Errorf("%w: process %d is not in its stats", errTaken, s.PID())
	}
	s.id = stats.Get("id")
	return conn.SetDeadline(time.Time{})
}

// Moved tells whether somebody else serves than Run has found: another node of a cluster, or the same one in another
// term. The id in stats is new each time.
func (s *Launched) Moved() bool {
	for until := time.Now().Add(endWithin); s.id != "" && time.Now().Before(until); time.Sleep(movedPace) {
		c, err := client.Dial(client.Options{Server: s.Addr, Timeout: endWithin})
		if err != nil {
			continue
		}
		stats, err := c.Stats("stats")
		_ = c.HangUp()
		if err == nil {
			return stats.Get("id") != s.id
		}
	}
	return false
}
