package forward

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"beanfield/conn"
	"beanfield/conn/socket"
)

// refusal is a link's word that it will not take a client.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// keepAlive has the kernel find out within deadAfter that the other node is dead (FW11).
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: deadAfter / 2, Interval: deadAfter / 10, Count: 5}

const deadAfter = 20 * time.Second

// wire is the line between two nodes while they shake hands: it blocks.
type wire struct {
	net.Conn             // what they speak over: TLS, or below
	below    net.Conn    // the TCP connection
	tls      *socket.TLS // nil without TLS
}

// over makes the wire of a TCP connection, with a handshake of TLS if the cluster has certificates.
func (p *proofs) over(ctx context.Context, c net.Conn, shake func(net.Conn) *tls.Conn) (*wire, error) {
	if p.tls == nil {
		return &wire{c, c, nil}, nil
	}
	w := socket.NewOver(c)
	t := shake(w)
	if err := t.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return &wire{t, c, w}, nil
}

// detach is what a loop needs of the wire: its socket is a copy of the wire's. It ends the wire.
func (w *wire) detach(socket int) end {
	if w.tls != nil {
		w.tls.Settle(w.Conn.(*tls.Conn), socket)
	}
	return end{fd: socket, tls: w.tls}
}

// copyOf is another descriptor of a connection.
func copyOf(c net.Conn) (fd int, err error) {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return -1, err
	}
	failed := raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(failed, os.NewSyscallError("fcntl", err)); err != nil {
		return -1, err
	}
	return fd, nil
}

// pass asks the link at an address to take a client. The end that it returns is ready for the client's bytes: who is
// there has proved itself (FW8). held is called when the link has the client wait.
func (p *proofs) pass(ctx context.Context, address string, e Entrance, from conn.Peer, held func()) (link end,
	err error) {
	c, err := (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext(ctx, "tcp", address)
	if err != nil {
		return link, err
	}
	defer c.Close()
	fd, err := copyOf(c) // for the loop: when the link has taken the client it would be too late for a shortage
	if err != nil {
		return link, err
	}
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })()
	w, err := p.over(ctx, c, func(below net.Conn) *tls.Conn {
		return tls.Client(below, p.tlsTo(address))
	})
	if err == nil {
		err = p.ask(w, e, from, held)
	}
	if err != nil {
		syscall.Close(fd)
		return link, err
	}
	return w.detach(fd), nil
}

// ask makes the handshake of this protocol. If it gets no last word, the one before holds.
func (p *proofs) ask(w io.ReadWriter, e Entrance, from conn.Peer, held func()) error {
	nl, err := readGreeting(w)
	if err != nil {
		return fmt.Errorf("it does not greet as a node of a cluster does: %w", err)
	}
	r := request{cluster: p.cluster, node: p.node, entrance: e, peer: from}
	rand.Read(r.nonce[:])
	if err := r.send(w, &p.key, &nl); err != nil {
		return err
	}
	s, reason, err := p.key.readAnswer(w, &nl, &r.nonce)
	if errors.Is(err, io.EOF) {
		return errors.New("it has closed the connection: do both nodes have the same cluster.name and cluster.secret?")
	}
	for last := error(nil); ; {
		switch {
		case err != nil:
			return cmp.Or(last, err)
		case s == taken:
			return nil
		case s == refused:
			return &refusal{reason}
		case last != nil:
			return last
		}
		last = ErrNotServing
		held()
		s, reason, err = p.key.readAnswer(w, &nl, &r.nonce)
	}
}

// hear hears what another node asks for.
func (p *proofs) hear(w io.ReadWriter, nl *nonce) (r request, err error) {
	rand.Read(nl[:])
	if err := greet(w, nl); err != nil {
		return r, err
	}
	return readRequest(w, &p.key, nl)
}

// clean is a reason as it may be sent.
func clean(err error) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, err.Error())
}
