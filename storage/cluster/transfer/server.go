package transfer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Server makes snapshots when other nodes order them, and sends them.
type Server struct {
	link     link
	make     Maker
	o        Options
	ctx      context.Context
	stop     context.CancelFunc
	unlisten func()
	work     sync.WaitGroup

	mu     sync.Mutex
	orders map[string]*order // by the receivers' inboxes
	closed bool
}

// Maker makes a snapshot, a directory of plain files. The note goes to whoever has ordered it, before the files do.
// Remove is called when the directory is not needed any more.
type Maker func(ctx context.Context, key string) (dir string, note []byte, remove func(), err error)

// order is one that is being filled.
type order struct {
	inbox  string
	answer []byte // what the receiver hears that orders it again
	asks   chan uint64
	done   chan struct{} // closed when nothing more is wanted
	over   sync.Once
}

// mostOrders is how many snapshots there are at a time: they keep disk space.
const mostOrders = 8

var (
	errBusy    = errors.New("too many orders are under way")
	errUnknown = errors.New("there is no such order any more")
)

// Serve has a node make snapshots for others.
func Serve(nc *nats.Conn, prefix string, m Maker, o Options) (*Server, error) {
	return serve(wire{nc}, prefix, m, o)
}

func serve(l link, prefix string, m Maker, o Options) (*Server, error) {
	s := &Server{link: l, make: m, o: o.filled(), orders: map[string]*order{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	s.unlisten, err = l.Listen(deskOf(prefix), s.asked)
	return s, err
}

// deskOf is where a node takes orders, and the asks for their chunks.
func deskOf(prefix string) string { return prefix + ".desk" }

// Close ends what is under way, and waits until all snapshots are removed.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.unlisten()
	s.stop()
	s.work.Wait()
}

// asked takes a message of a receiver. A chunk for which there is no room now is asked for again.
func (s *Server) asked(inbox string, data []byte) {
	kind, rest, err := opened(data)
	if inbox == "" || kind == 0 && err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[inbox]
	number, _, ok := numbered(rest)
	switch {
	case err != nil:
		s.tell(inbox, failed(err)) // whose version says it all
	case kind == kindOrder && o != nil:
		s.tell(inbox, o.answer)
	case kind == kindOrder && (s.closed || len(s.orders) >= mostOrders):
		s.tell(inbox, failed(errBusy))
	case kind == kindOrder:
		o = &order{inbox: inbox, answer: message(kindStill, ""), asks: make(chan uint64, 4*window),
			done: make(chan struct{})}
		s.orders[inbox] = o
		s.tell(inbox, o.answer)
		s.work.Go(func() { s.fill(o, string(rest)) })
	case kind == kindAsk && o == nil:
		s.tell(inbox, failed(errUnknown))
	case kind == kindAsk && ok:
		select {
		case o.asks <- number:
		default:
		}
	case kind == kindDone && o != nil:
		o.over.Do(func() { close(o.done) })
	}
}

// tell says something that is asked for again if it is lost.
func (s *Server) tell(inbox string, message []byte) { _ = s.link.Send(inbox, "", message) }

func failed(why error) []byte { return message(kindFailed, why.Error()) }

// fill makes what was ordered, and sends it until nobody wants more of it.
func (s *Server) fill(o *order, key string) {
	err := s.filled(o, key)
	if err != nil {
		s.tell(o.inbox, failed(err))
	}
	s.mu.Lock()
	delete(s.orders, o.inbox)
	s.mu.Unlock()
}

func (s *Server) filled(o *order, key string) error {
	dir, note, remove, err := s.make(s.ctx, key)
	if err != nil {
		return err
	}
	defer remove()
	from, err := newSource(dir, s.o.chunk, note)
	if err != nil {
		return err
	}
	defer from.close()
	answer := ready(from.shape)
	s.mu.Lock()
	o.answer = answer
	s.mu.Unlock()
	s.tell(o.inbox, answer)
	return s.send(o, from)
}

// send sends the chunks that are asked for, each when its time has come (SP6).
func (s *Server) send(o *order, from *source) (err error) {
	idle := time.NewTimer(s.o.Idle)
	defer idle.Stop()
	var due time.Time
	var buffer []byte
	for {
		select {
		case <-s.ctx.Done():
			return ErrClosed
		case <-o.done:
			return nil
		case <-idle.C:
			return ErrIdle
		case number := <-o.asks:
			if number >= from.chunks() {
				continue
			}
			if buffer, err = from.message(buffer[:0], number); err != nil {
				return err
			}
			select {
			case <-s.ctx.Done():
				return ErrClosed
			case <-time.After(time.Until(due)):
			}
			// What a late timer has left out is made up for, but not more.
			due = later(due, time.Now().Add(-credit)).Add(s.o.takes(len(buffer)))
			if err := s.link.Send(o.inbox, "", buffer); err != nil && lasting(err) {
				return err
			}
			idle.Reset(s.o.Idle)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
