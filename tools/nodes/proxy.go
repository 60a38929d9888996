package nodes

import (
	"net"
	"sync"
	"time"
)

// A proxy stands between a node and one of the others: the node's configuration names it instead
// of the other's address.
type proxy struct {
	listener net.Listener
	target   string
	there    *gate // from the node that dials to the other
	back     *gate

	mu      sync.Mutex
	refuses bool
	closed  bool
	pairs   map[*pair]bool
}

// A pair is a connection of the node to the proxy, and that of the proxy to the other node.
type pair struct {
	near, far net.Conn // far is nil until the other node has been reached
	ended     chan struct{}
	end       sync.Once
}

func newProxy(target string, there, back *gate) (*proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, there: there, back: back, pairs: map[*pair]bool{}}
	go p.accept()
	return p, nil
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // it has been closed
		}
		q := &pair{near: conn, ended: make(chan struct{})}
		if p.admit(q) {
			go p.serve(q)
		} else {
			reset(conn)
		}
	}
}

func (p *proxy) admit(q *pair) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses || p.closed {
		return false
	}
	p.pairs[q] = true
	return true
}

// serve reaches the other node, once the link lets bytes through, and passes on what both say.
func (p *proxy) serve(q *pair) {
	defer p.drop(q)
	if !p.there.pass(q.ended) {
		return
	}
	far, err := net.DialTimeout("tcp4", p.target, dialWithin)
	if err != nil {
		return
	}
	p.mu.Lock()
	q.far = far
	known := p.pairs[q]
	p.mu.Unlock()
	if !known { // it was reset meanwhile
		reset(far)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { q.pump(q.far, q.near, p.there) })
	both.Go(func() { q.pump(q.near, q.far, p.back) })
	both.Wait()
}

const dialWithin = 5 * time.Second

// drop ends a pair, as a node that is gone would.
func (p *proxy) drop(q *pair) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pairs, q)
	q.end.Do(func() { close(q.ended) })
	reset(q.near)
	if q.far != nil {
		reset(q.far)
	}
}

// resetAll ends all connections. Whether new ones are refused is up to the caller.
func (p *proxy) resetAll(refuse bool) {
	p.mu.Lock()
	p.refuses = refuse
	var all []*pair
	for q := range p.pairs {
		all = append(all, q)
	}
	p.mu.Unlock()
	for _, q := range all {
		p.drop(q)
	}
}

// allow ends a refusal.
func (p *proxy) allow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = false
}

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.listener.Close()
	p.resetAll(true)
}

// reset ends a connection with a reset instead of an orderly end.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// A parcel is what one read has brought.
type parcel struct {
	data []byte
	due  time.Time
}

const (
	parcelSize = 64 << 10
	// parcels is how many are under way in one direction of a connection, as in the buffers of a
	// network; the sender waits then.
	parcels = 256
)

// pump passes on what one side says. Its end goes through the gate too: behind a cut link nobody
// learns that a connection has ended.
func (q *pair) pump(to, from net.Conn, g *gate) {
	queue := make(chan parcel, parcels)
	go q.read(from, g, queue)
	for p := range queue {
		if !q.until(p.due) || !g.pass(q.ended) {
			return
		}
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	if g.pass(q.ended) {
		to.Close()
		from.Close()
	}
}

func (q *pair) read(from net.Conn, g *gate, queue chan<- parcel) {
	defer close(queue)
	for {
		b := make([]byte, parcelSize)
		n, err := from.Read(b)
		if n > 0 {
			select {
			case queue <- parcel{b[:n], g.due()}:
			case <-q.ended:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (q *pair) until(due time.Time) bool {
	wait := time.Until(due)
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-q.ended:
		return false
	}
}
