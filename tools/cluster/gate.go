package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"time"
)

// gate lets clients in that know no TLS: what they say goes to an address over TLS.
func gate(ctx context.Context, l net.Listener, to string) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		plain, err := l.Accept()
		if err != nil {
			return ctx.Err()
		}
		go secure(ctx, plain.(*net.TCPConn), to)
	}
}

// dialWithin bounds the wait for the node and its handshake.
const dialWithin = 20 * time.Second

// secure joins a client's connection with one over TLS. Each learns how the other ends.
func secure(ctx context.Context, plain *net.TCPConn, addr string) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	far, err := dial(ctx, addr)
	if err != nil {
		reset(plain)
		return
	}
	ended := make(chan error, 2)
	go func() { ended <- pass(far, plain) }()
	go func() { ended <- pass(plain, far) }()
	for range 2 {
		if err := <-ended; err != nil { // the other direction ends, too
			reset(plain)
			reset(far.NetConn().(*net.TCPConn))
		}
	}
	plain.Close()
	far.Close()
}

// dial connects, as soon as the node lets it.
func dial(ctx context.Context, addr string) (*tls.Conn, error) {
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	for {
		conn, err := d.DialContext(ctx, "tcp4", addr)
		if err == nil {
			return conn.(*tls.Conn), nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(look):
		}
	}
}

// pass brings what one side says to the other until its end, which it passes on, too.
func pass(to interface {
	io.Writer
	CloseWrite() error
}, from io.Reader) error {
	// Only Write and Read: the shortcuts of a connection would keep an error of one side for that of the other.
	if _, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from}); err != nil {
		return err
	}
	return to.CloseWrite()
}

func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	conn.Close()
}
