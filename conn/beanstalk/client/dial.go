package client

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// Options say how to reach a server.
type Options struct {
	Server    string // as parseAddress reads it
	TokenFile string // with a token to log in with; "": none
	CA        string // file with the certificates to trust; "": the system's
	Cert, Key string // files with a certificate of one's own; "": none
	Timeout   time.Duration
}

// Dial connects, shakes hands if the address asks for TLS, and logs in if there is a
// token.
func Dial(o Options) (*Client, error) {
	a, err := parseAddress(o.Server)
	if err != nil {
		return nil, err
	}
	if !a.tls && (o.CA != "" || o.Cert != "" || o.Key != "") {
		return nil, fmt.Errorf("server %q does not use TLS: certificates need beanstalks://", o.Server)
	}
	conn, err := connect(a, o)
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", o.Server, err)
	}
	c := On(conn, o.Server, o.Timeout)
	if o.TokenFile != "" {
		if err := c.logIn(o.TokenFile); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return c, nil
}

// On is a client on a connection that somebody else has made. Its errors call the server by
// this name, and limit is as Options.Timeout.
func On(conn net.Conn, server string, limit time.Duration) *Client {
	c := &Client{server: server, conn: patient{Conn: conn, limit: limit}}
	c.r, c.w = bufio.NewReaderSize(&c.conn, 64<<10), bufio.NewWriterSize(&c.conn, 64<<10)
	return c
}

func connect(a address, o Options) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.Timeout)
	defer cancel()
	if !a.tls {
		return new(net.Dialer).DialContext(ctx, a.network, a.at)
	}
	config, err := tlsConfig(a.host, o)
	if err != nil {
		return nil, err
	}
	return (&tls.Dialer{Config: config}).DialContext(ctx, a.network, a.at)
}

func tlsConfig(host string, o Options) (*tls.Config, error) {
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", o.CA)
		}
	}
	if o.Cert == "" && o.Key == "" {
		return config, nil
	}
	key := o.Key
	if key == "" {
		key = o.Cert // a file may hold both
	}
	own, err := tls.LoadX509KeyPair(o.Cert, key)
	config.Certificates = []tls.Certificate{own}
	return config, err
}

// logIn sends the token. The token is in a file, because all users of a machine can see a
// command line.
func (c *Client) logIn(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return fmt.Errorf("%s has no token", file)
	}
	if strings.ContainsAny(token, " \t\r\n\x00") {
		return fmt.Errorf("%s has more than a token", file) // which no message shows
	}
	r, err := c.Ask("auth " + token)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if r.Word != "OK" {
		return fmt.Errorf("the server refuses the token in %s: %s", file, r.Word)
	}
	return nil
}

// patient is a connection whose time limit begins anew with each piece that is read or
// written.
type patient struct {
	net.Conn
	limit time.Duration

	mu  sync.Mutex // of end, and of the deadlines that follow from it
	end time.Time  // of everything; zero: there is none
}

// hurry gives everything one limit from now on. Any goroutine may call it.
func (p *patient) hurry(limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = time.Now().Add(limit)
	_ = p.SetDeadline(p.end) // fails only if the connection is closed
}

// within sets a deadline for the next piece.
func (p *patient) within(set func(time.Time) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := time.Now().Add(p.limit)
	if !p.end.IsZero() && p.end.Before(next) {
		next = p.end
	}
	return set(next)
}

// pieceSize is how much is written at once.
const pieceSize = 64 << 10

func (p *patient) Read(b []byte) (int, error) {
	if err := p.within(p.SetReadDeadline); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

func (p *patient) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		if err = p.within(p.SetWriteDeadline); err != nil {
			break
		}
		var m int
		m, err = p.Conn.Write(b[:min(len(b), pieceSize)])
		n, b = n+m, b[m:]
	}
	return n, err
}
