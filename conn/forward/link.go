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

	"beanfield/conn"
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

	mu      sync.RWMutex // held while the host takes a client, or one waits for room there
	host    Host
	term    context.Context // that of the host, or of the time without one; ends with life
	endTerm context.CancelFunc
	life    context.Context
	end     context.CancelFunc // of life
	holds   holds

	loops []*loop // with certificates: they join the connections of nodes with those of the host
	next  atomic.Uint64

	strangers, shortage conn.Seldom
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
	l, err := (&net.ListenConfig{KeepAliveConfig: keepAlive}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	k := &Link{proofs: p, log: o.Logger, listener: l, ended: make(chan struct{}),
		slots: make(chan struct{}, mostComputed)}
	k.holds.all = map[origin]*turns{}
	k.life, k.end = context.WithCancel(context.Background())
	k.term, k.endTerm = context.WithCancel(k.life)
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
// anybody. It is called by one goroutine at a time.
func (k *Link) Local(h Host) {
	k.mu.RLock()
	k.endTerm() // nobody waits for the former host any more, and keeps the lock
	k.mu.RUnlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.host = h
	k.term, k.endTerm = context.WithCancel(k.life)
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
			k.shortage.Say(k.log.Warn, "clients of other nodes cannot be accepted", "error", err)
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
		k.strangers.Say(k.log.Warn, strangerTo(err), "peer", g.c.RemoteAddr(), "error", err)
		return
	}
	if !k.guests.prove(g) {
		return
	}
	if own := k.proofs.cluster; r.cluster != own {
		err = fmt.Errorf("it is a node of cluster %q, and not of %q", own, r.cluster)
	} else {
		err = k.serve(&visitor{g.c, w, &r, &nl})
	}
	if err != nil {
		k.say(w, err, &nl, &r.nonce)
	}
}

// say answers that a client is not taken.
func (k *Link) say(w *wire, why error, nl, nn *nonce) error {
	s := refused
	switch why {
	case ErrNotServing, errShort:
		s = notServing
	}
	return k.proofs.key.answer(w, s, clean(why), nl, nn)
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

// visitor is a node that has said which client it wants to pass on.
type visitor struct {
	c  net.Conn // below the wire
	w  *wire
	r  *request
	nl *nonce
}

// take gives a client to the host, and tells the other node so: only then it sends the client's bytes (FW2). Nobody
// else writes before, since no front end speaks before its client does. All descriptors that the client needs are there
// before the host has it. If there is no room, it waits until done is closed; with nil it does not wait.
func (k *Link) take(v *visitor, done <-chan struct{}) error {
	near, far, err := k.socketsFor(v.w)
	if err != nil { // no descriptors, most likely
		k.shortage.Say(k.log.Warn, "clients of other nodes cannot be taken", "error", err)
		return errShort
	}
	k.mu.RLock()
	if err = ErrNotServing; k.host != nil {
		peer := v.r.peer // whoever keeps it shall not keep the request
		err = k.host.Take(v.r.entrance, far, &peer, done)
	}
	k.mu.RUnlock()
	if err != nil {
		syscall.Close(far)
		near.close()
		return err
	}
	err = k.proofs.key.answer(v.w, taken, "", v.nl, &v.r.nonce)
	if near != nil {
		k.join(v.w, near, err)
	}
	return nil
}

// socketsFor makes the socket that a front end gets: that of the connection, or one of a new pair. Then the other one
// is to be joined with the connection.
func (k *Link) socketsFor(w *wire) (near *pair, far int, err error) {
	own, err := copyOf(w.below)
	if err != nil || w.tls == nil {
		return nil, own, err
	}
	two, err := socket.Pair()
	if err != nil {
		syscall.Close(own)
		return nil, -1, os.NewSyscallError("socketpair", err)
	}
	return &pair{client: end{fd: own}, link: end{fd: two[0]}}, two[1], nil
}

// close closes the sockets of a pair that no loop has. There may be none.
func (p *pair) close() {
	if p != nil {
		syscall.Close(p.client.fd)
		syscall.Close(p.link.fd)
	}
}

// join joins the connection of a node with the host's.
func (k *Link) join(w *wire, p *pair, err error) {
	l := k.loops[k.next.Add(1)%uint64(len(k.loops))]
	if err == nil {
		p.client = w.detach(p.client.fd)
	}
	if err != nil || !l.post(func() { l.admit(p) }) {
		p.close()
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
	k.end()
	k.guests.closeAll()
	for _, l := range k.loops {
		l.post(l.leave)
	}
	for _, l := range k.loops {
		l.endWith(ctx)
	}
	return err
}
