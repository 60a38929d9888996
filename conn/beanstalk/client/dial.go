package client

import (
	"bufio"
	"cmp"
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

	// For programs that have no files for this.
	Token   string                                                               // instead of TokenFile
	TLS     *tls.Config                                                          // instead of CA, Cert and Key
	Connect func(ctx context.Context, network, address string) (net.Conn, error) // nil: as net.Dialer does
}

// Dial is DialContext with no other limit than the timeout.
func Dial(o Options) (*Client, error) { return DialContext(context.Background(), o) }

// DialContext connects, shakes hands if the address asks for TLS, and logs in if there is a
// token. The context ends with that: it is not the client's.
func DialContext(ctx context.Context, o Options) (*Client, error) {
	a, err := parseAddress(o.Server)
	if err != nil {
		return nil, err
	}
	if !a.tls && (o.CA != "" || o.Cert != "" || o.Key != "") {
		return nil, fmt.Errorf("server %q does not use TLS: certificates need beanstalks://", o.Server)
	}
	conn, err := connect(ctx, a, o)
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", o.Server, shorter(err, a.at))
	}
	c := On(conn, o.Server, o.Timeout)
	stop := context.AfterFunc(ctx, func() { c.Hurry(0) })
	if o.Token != "" || o.TokenFile != "" {
		err = c.logIn(o)
	}
	if !stop() {
		err = ctx.Err() // the client has been told to hurry
	}
	if err == nil {
		return c, nil
	}
	if lost := new(Lost); !errors.As(err, &lost) { // which names the server
		err = fmt.Errorf("%s: %w", o.Server, err)
	}
	return nil, errors.Join(err, conn.Close())
}

// shorter is an error of connecting without the address, which the caller names.
func shorter(err error, at string) error {
	if op := new(net.OpError); errors.As(err, &op) && op.Addr != nil && op.Addr.String() == at {
		return op.Err
	}
	return err
}

// passOver is how long a server may take to let a client in, if there are others.
const passOver = 5 * time.Second

// DialFirst connects to the first of several servers that answers. The nodes of a cluster that do not serve refuse
// at once; a server that says nothing is passed over after 5 seconds.
func DialFirst(ctx context.Context, servers []string, o Options) (*Client, error) {
	for _, s := range servers {
		if err := CheckAddress(s); err != nil {
			return nil, err
		}
	}
	if len(servers) == 1 {
		o.Server = servers[0]
		return DialContext(ctx, o)
	}
	var failures []error
	for _, o.Server = range servers {
		c, err := dialAnswering(ctx, o)
		if err == nil {
			return c, nil
		}
		if failures = append(failures, err); ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failures...)
}

// dialAnswering is DialContext for a server that has to answer a first command, too.
func dialAnswering(ctx context.Context, o Options) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, passOver)
	defer cancel()
	c, err := DialContext(ctx, o)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Hurry(0) })
	if _, err = c.Added(); !stop() {
		err = &Lost{fmt.Sprintf("%s lets nobody in within %v", o.Server, passOver), ctx.Err()}
	}
	if err != nil {
		return nil, errors.Join(err, c.HangUp())
	}
	return c, nil
}

// CheckAddress says what is wrong with the address of a server, if anything is.
func CheckAddress(server string) error {
	_, err := parseAddress(server)
	return err
}

// On is a client on a connection that somebody else has made. Its errors call the server by
// this name, and limit is as Options.Timeout.
func On(conn net.Conn, server string, limit time.Duration) *Client {
	c := &Client{server: server, conn: patient{Conn: conn, limit: limit}, last: asked{used: "default"}}
	c.r, c.w = bufio.NewReaderSize(&c.conn, 64<<10), bufio.NewWriterSize(&c.conn, 64<<10)
	return c
}

func connect(ctx context.Context, a address, o Options) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	dial := o.Connect
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	if !a.tls {
		return dial(ctx, a.network, a.at)
	}
	config, err := o.TLSConfig(a.host)
	if err != nil {
		return nil, err
	}
	plain, err := dial(ctx, a.network, a.at)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(plain, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	return conn, nil
}

// TLSConfig is how a server on this host is talked to over TLS. With "" whoever uses it must set the server's name, as
// net/http does.
func (o *Options) TLSConfig(host string) (*tls.Config, error) {
	if o.TLS != nil {
		config := o.TLS.Clone()
		config.ServerName = cmp.Or(config.ServerName, host)
		return config, nil
	}
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
	own, err := tls.LoadX509KeyPair(o.Cert, cmp.Or(o.Key, o.Cert)) // a file may hold both
	config.Certificates = []tls.Certificate{own}
	return config, err
}

// logIn sends the token. That of a command is in a file, because all users of a machine can see
// a command line.
func (c *Client) logIn(o Options) error {
	token, from := o.Token, "the options"
	if token == "" {
		text, err := os.ReadFile(o.TokenFile)
		if err != nil {
			return err
		}
		token, from = strings.TrimSpace(string(text)), o.TokenFile
	}
	if token == "" {
		return fmt.Errorf("%s has no token", from)
	}
	if strings.ContainsAny(token, " \t\r\n\x00") {
		return fmt.Errorf("%s has more than a token", from) // which no message shows
	}
	r, err := c.Ask("auth " + token)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if r.Word != "OK" {
		return fmt.Errorf("the server refuses the token in %s: %s", from, r.Word)
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
	if end := time.Now().Add(limit); p.end.IsZero() || end.Before(p.end) {
		p.end = end
	}
	_ = p.SetDeadline(p.end) // fails only if the connection is closed
}

// calm takes back what hurry has said.
func (p *patient) calm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = time.Time{}
	_ = p.SetDeadline(p.end) // as above
}

// hurried tells whether the limit that hurry has set is over.
func (p *patient) hurried() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.end.IsZero() && !time.Now().Before(p.end)
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
