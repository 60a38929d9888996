package main

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

// door is an address for clients of a node, which lets them in only while the node serves. A TCP
// address is closed between terms, so that a client which tries one host after the other
// hears at once that nobody is here. A unix socket, and one that systemd has opened, stay
// open, since the process may lack the right to make them again: meanwhile a doorman turns
// clients away.
type door struct {
	frontListener          // what it is for; Listener is what is kept, or closed
	plain         bool     // it goes without frontListener
	doorman       *doorman // nil for a TCP address of our own
}

// newDoors makes doors of listeners, closed. inherited says that systemd has opened them.
func newDoors(ls []net.Listener, inherited bool) []*door {
	var all []*door
	for _, l := range ls {
		fl, ok := l.(frontListener)
		if !ok {
			fl = frontListener{Listener: l, front: frontBeanstalk}
		}
		if fl.front == frontAdmin {
			continue
		}
		d := &door{frontListener: fl, plain: !ok}
		if _, tcp := fl.Listener.(*net.TCPListener); tcp && !(inherited && fl.front == frontBeanstalk) {
			fl.Close()
		} else {
			d.doorman = turnAway(fl.Listener)
		}
		all = append(all, d)
	}
	return all
}

// open returns a listener that another one may take over.
func (d *door) open(ctx context.Context) (net.Listener, error) {
	var l net.Listener
	var err error
	if d.doorman != nil {
		d.doorman.rest()
		l, err = copyOf(d.Listener)
	} else {
		at := d.Addr().(*net.TCPAddr).AddrPort()
		l, err = listenTCP(ctx, placeOf(at.Addr()), int(at.Port()))
	}
	if err != nil {
		return nil, exit.With(exit.Listen, fmt.Errorf("cannot listen on %s: %w", d.Addr(), err))
	}
	if d.plain {
		return l, nil
	}
	open := d.frontListener
	open.Listener = l
	return open, nil
}

// shut turns clients away again, once the listener that open returned is closed.
func (d *door) shut() {
	if d.doorman != nil {
		d.doorman = turnAway(d.Listener)
	}
}

// openDoors opens all, or none.
func openDoors(ctx context.Context, doors []*door, log *slog.Logger) (ls []net.Listener, err error) {
	for i, d := range doors {
		l, err := d.open(ctx)
		if err != nil {
			closeAll(ls)
			shutDoors(doors[:i])
			return nil, err
		}
		log.Info("listening", "network", l.Addr().Network(), "address", l.Addr().String(), "face", frontOf(l), "tls", certsOf(l) != nil)
		ls = append(ls, l)
	}
	return ls, nil
}

func shutDoors(doors []*door) {
	for _, d := range doors {
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

// doorman accepts clients and closes their connections.
type doorman struct {
	at    net.Listener
	ended chan struct{}
}

func turnAway(l net.Listener) *doorman {
	m := &doorman{l, make(chan struct{})}
	l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Time{})
	go m.work()
	return m
}

func (m *doorman) work() {
	defer close(m.ended)
	for {
		c, err := m.at.Accept()
		switch {
		case err == nil:
			c.Close()
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
			return
		default: // no descriptors, most likely
			time.Sleep(turnAwayPause)
		}
	}
}

// turnAwayPause is how long a doorman rests when he cannot accept.
const turnAwayPause = 100 * time.Millisecond

// rest ends his work. Clients that come now stay in the kernel's queue.
func (m *doorman) rest() {
	m.at.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Unix(1, 0))
	<-m.ended
}
