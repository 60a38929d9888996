package listeners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"beanfield/cmd/beanfield/exit"
)

// Standby is an address for clients of a node, which lets them in only while the node serves. A TCP
// address is closed between terms, so that a client which tries one host after the other
// hears at once that nobody is here. A unix socket, and one that systemd has opened, stay
// open, since the process may lack the right to make them again: meanwhile a refuser turns
// clients away.
type Standby struct {
	Special          // what it is for; Listener is what is kept, or closed
	bare    bool     // it was opened without a Special
	refuser *refuser // nil for a TCP address of our own
}

// NewStandbys makes them of listeners, closed. inherited says that systemd has opened them.
func NewStandbys(ls []net.Listener, inherited bool) []*Standby {
	var all []*Standby
	for _, l := range ls {
		fl, ok := l.(Special)
		if !ok {
			fl = Special{Listener: l, Front: Beanstalk}
		}
		if fl.Front == Admin {
			continue
		}
		d := &Standby{Special: fl, bare: !ok}
		if _, tcp := fl.Listener.(*net.TCPListener); tcp && !(inherited && fl.Front == Beanstalk) {
			fl.Close()
		} else {
			d.refuser = refuse(fl.Listener)
		}
		all = append(all, d)
	}
	return all
}

// open returns a listener that another one may take over.
func (d *Standby) open(ctx context.Context) (net.Listener, error) {
	var l net.Listener
	var err error
	if d.refuser != nil {
		d.refuser.stop()
		l, err = copyOf(d.Listener)
	} else {
		at := d.Addr().(*net.TCPAddr).AddrPort()
		l, err = listenTCP(ctx, placeOf(at.Addr()), int(at.Port()))
	}
	if err != nil {
		return nil, exit.With(exit.Listen, fmt.Errorf("cannot listen on %s: %w", d.Addr(), err))
	}
	if d.bare {
		return l, nil
	}
	open := d.Special
	open.Listener = l
	return open, nil
}

// shut turns clients away again, once the listener that open returned is closed.
func (d *Standby) shut() {
	if d.refuser != nil {
		d.refuser = refuse(d.Listener)
	}
}

// OpenAll opens all, or none.
func OpenAll(ctx context.Context, all []*Standby, log *slog.Logger) (ls []net.Listener, err error) {
	for i, d := range all {
		l, err := d.open(ctx)
		if err != nil {
			CloseAll(ls)
			ShutAll(all[:i])
			return nil, err
		}
		logOpen(log, l)
		ls = append(ls, l)
	}
	return ls, nil
}

func ShutAll(all []*Standby) {
	for _, d := range all {
		d.shut()
	}
}

// copyOf is a listener on the same socket.
func copyOf(l net.Listener) (net.Listener, error) {
	f, err := l.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileListener(f)
}

// refuser accepts clients and closes their connections.
type refuser struct {
	at    net.Listener
	ended chan struct{}
}

func refuse(l net.Listener) *refuser {
	m := &refuser{l, make(chan struct{})}
	l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Time{})
	go m.run()
	return m
}

func (m *refuser) run() {
	defer close(m.ended)
	for {
		c, err := m.at.Accept()
		switch {
		case err == nil:
			c.Close()
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
			return
		default: // no descriptors, most likely
			time.Sleep(refusePause)
		}
	}
}

// refusePause is how long a refuser rests when it cannot accept.
const refusePause = 100 * time.Millisecond

// stop ends it. Clients that come now stay in the kernel's queue.
func (m *refuser) stop() {
	m.at.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Unix(1, 0))
	<-m.ended
}
