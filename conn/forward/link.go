package forward

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/socket"
)

// LinkOptions are what a Link is made with.
type LinkOptions struct {
	Cluster Cluster
	Loops   int // with certificates; 0: one for each processor but one
	Logger  *slog.Logger
}

// Link takes clients that other nodes pass on, and gives them to the host of this process, while there is one.
type Link struct {
	proofs   *proofs
	log      *slog.Logger
	listener net.Listener
	ended    chan struct{} // nobody is accepted any more
	guests   guests
	slots    chan struct{} // of the handshakes of TLS that compute

	mu   sync.RWMutex // held while the host takes a client
	host Host

	loops []*loop // with certificates: they join the connections of nodes with those of the host
	next  atomic.Uint64

	strangers, shortage seldom
}

// Listen opens a link at an address.
func Listen(address string, o LinkOptions) (*Link, error) {
	p, err := o.Cluster.proofs()
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	k := &Link{proofs: p, log: o.Logger, listener: l, ended: make(chan struct{}),
		slots: make(chan struct{}, mostComputed)}
	k.guests.all = map[*guest]struct{}{}
	if p.tls != nil {
		if k.loops, err = newLoops(o.Loops); err != nil {
			l.Close()
			return nil, err
		}
		for _, l := range k.loops {
			go l.run()
		}
	}
	go k.accept()
	return k, nil
}

// Address is where the link listens.
func (k *Link) Address() string { return k.listener.Addr().String() }

// Local says who takes clients in this process; nil: nobody. When it returns, no host that was named before is given
// anybody.
func (k *Link) Local(h Host) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.host = h
}

// acceptPause is how long the link rests when it cannot accept.
const acceptPause = 100 * time.Millisecond

func (k *Link) accept() {
	defer close(k.ended)
	for {
		c, err := k.listener.Accept()
		switch {
		case err == nil:
			go k.receive(k.guests.enter(c))
		case errors.Is(err, net.ErrClosed):
			return
		default: // no descriptors, most likely
			k.shortage.warn(k.log, "clients of other nodes cannot be accepted", "error", err)
			time.Sleep(acceptPause)
		}
	}
}

// receive shakes hands with whoever has come, and gives its client to the host.
func (k *Link) receive(g *guest) {
	defer k.guests.leave(g)
	g.c.SetDeadline(time.Now().Add(shakeFor))
	var s *slotted
	w, err := k.proofs.over(context.Background(), g.c, func(below net.Conn) *tls.Conn {
		s = slot(below, k.slots)
		return tls.Server(s, k.proofs.tls)
	})
	if s != nil {
		s.leave()
	}
	var nl nonce
	var r request
	if err == nil {
		r, err = k.proofs.hear(w, &nl)
	}
	if err != nil {
		k.strangers.warn(k.log, strangerTo(err), "peer", g.c.RemoteAddr(), "error", err)
		return
	}
	if !k.guests.prove(g) {
		return
	}
	if own := k.proofs.cluster; r.cluster != own {
		err = fmt.Errorf("it is a node of cluster %q, and not of %q", own, r.cluster)
	} else {
		err = k.take(w, &r, &nl)
	}
	if err != nil {
		s := refused
		switch {
		case errors.Is(err, ErrNotServing):
			s = notServing
		case errors.Is(err, ErrFull):
			s = full
		}
		k.proofs.key.answer(w, s, clean(err), &nl, &r.nonce)
	}
}

// strangerTo is what the log says of somebody who has not proved that it is a node.
func strangerTo(err error) string {
	var reset syscall.Errno
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &reset) {
		return "somebody has come to the address for clients that are passed on, and has not said in time who it is"
	}
	return "somebody who is no node of this cluster, or has another cluster.secret, has come to the address for " +
		"clients that are passed on"
}

// take gives a client to the host, and tells the other node so: only then it sends the client's bytes (FW2). Nobody
// else writes before, since no front end speaks before its client does.
func (k *Link) take(w *wire, r *request, nl *nonce) error {
	near, far, err := k.socketFor(w)
	if err != nil { // no descriptors, most likely
		k.shortage.warn(k.log, "clients of other nodes cannot be taken", "error", err)
		return ErrNotServing
	}
	k.mu.RLock()
	if k.host == nil {
		err = ErrNotServing
	} else {
		peer := r.peer // whoever keeps it shall not keep the request
		err = k.host.Take(r.entrance, far, &peer)
	}
	k.mu.RUnlock()
	if err != nil {
		syscall.Close(far)
		if near >= 0 {
			syscall.Close(near)
		}
		return err
	}
	err = k.proofs.key.answer(w, taken, "", nl, &r.nonce)
	if near >= 0 {
		k.join(w, near, err)
	}
	return nil
}

// socketFor makes the socket that a front end gets: that of the connection, or one of a new pair, whose other one is to
// be joined with the connection.
func (k *Link) socketFor(w *wire) (near, far int, err error) {
	if w.tls == nil {
		far, err = copyOf(w.below)
		return -1, far, err
	}
	two, err := socket.Pair()
	if err != nil {
		return -1, -1, os.NewSyscallError("socketpair", err)
	}
	return two[0], two[1], nil
}

// join joins the connection of a node with the host's.
func (k *Link) join(w *wire, near int, err error) {
	p := &pair{client: end{fd: -1}, link: end{fd: near}}
	if err == nil {
		p.client, err = w.detach()
	}
	l := k.loops[k.next.Add(1)%uint64(len(k.loops))]
	if err != nil || !l.post(func() { l.admit(p) }) {
		for _, e := range []end{p.client, p.link} {
			if e.fd >= 0 {
				syscall.Close(e.fd)
			}
		}
	}
}

// admit takes in a pair both of whose ends are there.
func (l *loop) admit(p *pair) {
	l.open++
	if err := l.watch(p, &p.client); err != nil {
		l.end(p)
		return
	}
	l.join(p)
}

// Close ends the link. The host's front ends have closed their clients before. Until ctx ends, what they have said last
// is passed on, while the clients take it.
func (k *Link) Close(ctx context.Context) error {
	err := k.listener.Close()
	<-k.ended
	k.guests.closeAll()
	for _, l := range k.loops {
		l.post(l.leave)
	}
	for _, l := range k.loops {
		l.endWith(ctx)
	}
	return err
}
