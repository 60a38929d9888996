package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// DefaultServer is where a server on this machine listens if nothing else is configured.
const DefaultServer = "127.0.0.1:11300"

// Config says how servers are reached. The zero Config is for DefaultServer.
type Config struct {
	// Servers are tried in this order whenever a connection is made, and the first that answers is
	// used: each HOST:PORT, beanstalk://HOST, beanstalks://HOST (TLS) or unix:PATH. The nodes of a
	// cluster that do not serve refuse at once, and one that says nothing is passed over after 5
	// seconds, so a list of all nodes finds the one that serves.
	Servers []string
	// Token logs in, if it is not empty. It has to be one that a rule of the server knows.
	Token string
	// TLS is for beanstalks:// addresses. With nil, certificates are checked as usual. Without a
	// ServerName, it is the host in the address.
	TLS *tls.Config
	// Timeout is how long a server may be silent when an answer is due; 0: 30 seconds. It does not
	// bound a wait that the server was asked for, and no context replaces it: it finds servers that
	// have gone without a word. When a wait is called off, the answer must come within a thirtieth of it.
	Timeout time.Duration
	// Retry is how long Pool and Worker wait between attempts to connect; the zero Backoff: 100 ms
	// to 10 s.
	Retry Backoff
	// Patience is for how long a Pool tries to connect when no server can be reached, before it
	// says so; 0: 30 seconds; negative: it tries once. A context may end that earlier. A Worker
	// has no such limit.
	Patience time.Duration
	// Dial replaces the dialer of package net, for proxies and tests. TLS is put on top of what it
	// returns.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

const (
	defaultTime = 30 * time.Second
	graces      = 30
)

// filled is the Config with its defaults, or what is wrong with it.
func (c Config) filled() (Config, error) {
	if len(c.Servers) == 0 {
		c.Servers = []string{DefaultServer}
	}
	for _, s := range c.Servers {
		if err := wire.CheckAddress(s); err != nil {
			return c, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	if c.Timeout < 0 || c.Retry.Min < 0 || c.Retry.Max < 0 {
		return c, fmt.Errorf("%w: a negative time in the Config", ErrInvalid)
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTime
	}
	if c.Patience == 0 {
		c.Patience = defaultTime
	}
	c.Retry = c.Retry.or(100*time.Millisecond, 10*time.Second)
	return c, nil
}

// link connects to the first server that answers, and asks what it can do. c is filled.
func (c Config) link(ctx context.Context) (*link, error) {
	w, err := wire.DialFirst(ctx, c.Servers, wire.Options{Timeout: c.Timeout, Token: c.Token, TLS: c.TLS,
		Connect: c.Dial})
	if lost := new(wire.Lost); errors.As(err, &lost) {
		err = fmt.Errorf("%w: %w", ErrLost, err)
	}
	if err != nil {
		return nil, err
	}
	l := newLink(w)
	err = l.during(ctx, 0, func() (err error) {
		l.can, err = w.Added()
		return err
	})
	if l.can["call-off"] {
		l.grace = c.Timeout / graces
	}
	if err != nil {
		return nil, errors.Join(err, w.HangUp())
	}
	return l, nil
}

// passing says whether it may help to connect once more: not if the server was reached, and did not
// want this client, or was none.
func passing(err error) bool {
	var inNet net.Error
	var lost *wire.Lost
	var dns *net.DNSError
	return errors.As(err, &inNet) || errors.As(err, &dns) || errors.As(err, &lost) || errors.Is(err, io.EOF)
}
