package nodes

import (
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// A link is the way from one node to another. What the first says goes through it, whichever connection it belongs to.
type link struct {
	back *link // from the other node

	mu      sync.Mutex
	shut    bool
	delay   time.Duration
	changed chan struct{} // closed when it opens
	refuses bool
	closed  bool
	pairs   map[*pair]bool // connections that the first has opened
}

// A pair is a connection of the node to the link, and that of the link to the other node.
type pair struct {
	target    string
	near, far net.Conn // far is nil until the other node has been reached
	ended     chan struct{}
	end       sync.Once
}

func newLink() *link { return &link{changed: make(chan struct{}), pairs: map[*pair]bool{}} }

// set changes what the link does to what goes through it.
func (l *link) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *link) hold() { l.set(func() { l.shut = true }) }

func (l *link) slow(d time.Duration) { l.set(func() { l.delay = d }) }

// free ends all that was done to it: what has been held goes on.
func (l *link) free() {
	l.set(func() {
		l.delay = 0
		if l.shut {
			l.shut = false
			close(l.changed)
			l.changed = make(chan struct{})
		}
	})
}

// harmed tells whether bytes are held, or late.
func (l *link) harmed() (harmed bool) {
	l.set(func() { harmed = l.shut || l.delay > 0 })
	return harmed
}

// due is when bytes may go on that come now.
func (l *link) due() (due time.Time) {
	l.set(func() { due = time.Now().Add(l.delay) })
	return due
}

// pass waits until the link is open; it returns false if the connection has ended before.
func (l *link) pass(ended <-chan struct{}) bool {
	for {
		l.mu.Lock()
		shut, changed := l.shut, l.changed
		l.mu.Unlock()
		if !shut {
			return true
		}
		select {
		case <-changed:
		case <-ended:
			return false
		}
	}
}

func (l *link) admit(q *pair) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuses || l.closed {
		return false
	}
	l.pairs[q] = true
	return true
}

// serve reaches the other node, once the link lets bytes through, and passes on what both say.
func (l *link) serve(q *pair) {
	defer l.drop(q)
	if !l.pass(q.ended) {
		return
	}
	far, err := net.DialTimeout("tcp4", q.target, dialWithin)
	if err != nil {
		return
	}
	l.mu.Lock()
	q.far = far
	known := l.pairs[q]
	l.mu.Unlock()
	if !known { // it was reset meanwhile
		reset(far)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { q.pump(q.far, q.near, l) })
	both.Go(func() { q.pump(q.near, q.far, l.back) })
	both.Wait()
}

const dialWithin = 5 * time.Second

// drop ends a pair, as a node that is gone would.
func (l *link) drop(q *pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pairs, q)
	q.end.Do(func() { close(q.ended) })
	reset(q.near)
	if q.far != nil {
		reset(q.far)
	}
}

// resetAll ends all connections. Whether new ones are refused is up to the caller.
func (l *link) resetAll(refuse bool) {
	l.mu.Lock()
	l.refuses = refuse
	all := slices.Collect(maps.Keys(l.pairs))
	l.mu.Unlock()
	for _, q := range all {
		l.drop(q)
	}
}

func (l *link) close() {
	l.set(func() { l.closed = true })
	l.resetAll(true)
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

// pump passes on what one side says. Its end goes through the link too: behind a cut link nobody
// learns that a connection has ended.
func (q *pair) pump(to, from net.Conn, l *link) {
	queue := make(chan parcel, parcels)
	go q.read(from, l, queue)
	for p := range queue {
		if !q.until(p.due) || !l.pass(q.ended) {
			return
		}
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	if l.pass(q.ended) {
		to.Close()
		from.Close()
	}
}

func (q *pair) read(from net.Conn, l *link, queue chan<- parcel) {
	defer close(queue)
	for {
		b := make([]byte, parcelSize)
		n, err := from.Read(b)
		if n > 0 {
			select {
			case queue <- parcel{b[:n], l.due()}:
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
