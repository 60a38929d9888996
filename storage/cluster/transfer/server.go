package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
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
	stop     context.CancelCauseFunc
	unlisten func()
	work     sync.WaitGroup

	mu     sync.Mutex
	orders map[string]*order // by the receivers' inboxes
}

// Maker makes a snapshot, a directory of plain files. The note goes to whoever has ordered it.
// Remove is called when the directory is not needed any more.
type Maker func(ctx context.Context, key string) (dir string, note []byte, remove func(), err error)

// order is one that is being filled.
type order struct {
	inbox  string
	key    string
	answer message // what the receiver hears that orders it again, or asks for a chunk that is not to be had
	asks   chan uint64
	ctx    context.Context // until nothing more is wanted
	over   context.CancelFunc
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
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	var err error
	s.unlisten, err = l.Listen(deskOf(prefix), s.asked)
	return s, err
}

// deskOf is where a node takes orders, and the asks for their chunks.
func deskOf(prefix string) string { return prefix + ".desk" }

// Close ends what is under way, and waits until all snapshots are removed.
func (s *Server) Close() {
	s.mu.Lock()
	s.stop(ErrClosed)
	s.mu.Unlock()
	s.work.Wait()
	s.unlisten()
}

// tell answers. What is lost is asked for again.
func (s *Server) tell(inbox string, m message) error { return s.link.Send(inbox, "", m.bytes()) }

// asked takes a question of a receiver. A chunk for which there is no room now is asked for again.
func (s *Server) asked(inbox string, question []byte) {
	q, err := opened(question)
	if inbox == "" || q.kind == 0 && err == nil {
		return
	}
	says := func(m message) { _ = s.tell(inbox, m) }
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[inbox]
	switch {
	case err != nil:
		says(failed(err)) // whose version says it all
	case q.kind == kindDone && o != nil:
		o.over()
	case q.kind == kindAsk && o != nil && o.answer.kind == kindReady:
		select {
		case o.asks <- q.number:
		default:
		}
	case (q.kind == kindOrder || q.kind == kindAsk) && o != nil:
		says(o.answer)
	case s.ctx.Err() != nil:
		says(failed(ErrClosed))
	case q.kind == kindAsk:
		says(failed(errUnknown))
	case q.kind == kindOrder && len(s.orders) >= mostOrders:
		says(failed(errBusy))
	case q.kind == kindOrder:
		o = &order{inbox: inbox, key: string(q.body), answer: message{kind: kindStill}, asks: make(chan uint64,
			4*window)}
		o.ctx, o.over = context.WithCancel(s.ctx)
		s.orders[inbox] = o
		says(o.answer)
		s.work.Go(func() { s.fill(o) })
	}
}

// fill makes what was ordered, and sends it until nobody wants more of it. Why that cannot be is told for a while.
func (s *Server) fill(o *order) {
	if err := s.filled(o); err != nil {
		s.says(o, failed(err))
		_ = s.tell(o.inbox, failed(err))
		select {
		case <-o.ctx.Done():
		case <-time.After(Silence):
		}
	}
	o.over()
	s.mu.Lock()
	delete(s.orders, o.inbox)
	s.mu.Unlock()
}

func (s *Server) says(o *order, answer message) {
	s.mu.Lock()
	o.answer = answer
	s.mu.Unlock()
}

func (s *Server) filled(o *order) error {
	dir, note, remove, err := s.make(o.ctx, o.key)
	if err != nil {
		return err
	}
	defer remove()
	l, err := listed(dir, list{Chunk: s.o.chunk, Note: note})
	if err != nil {
		return err
	}
	text, _ := json.Marshal(l)
	s.says(o, message{kind: kindReady, body: text})
	return s.send(o, dir, &l)
}

// send sends the chunks that are asked for, each when its time has come (SP6).
func (s *Server) send(o *order, dir string, l *list) error {
	idle := time.NewTimer(Silence)
	defer idle.Stop()
	due := time.Now()
	for {
		select {
		case <-o.ctx.Done():
			return context.Cause(s.ctx)
		case <-idle.C:
			return nil
		case number := <-o.asks:
			if number >= l.chunks {
				continue
			}
			data, err := l.chunk(number).read(dir)
			if err != nil {
				return err
			}
			select {
			case <-o.ctx.Done():
			case <-time.After(time.Until(due)):
			}
			// what a late timer has left out is made up for, but not more
			if at := time.Now().Add(-credit); at.After(due) {
				due = at
			}
			due = due.Add(time.Duration(len(data)) * time.Second / time.Duration(s.o.rate))
			if err := s.tell(o.inbox, message{kindChunk, number, data}); err != nil && lasting(err) {
				return err
			}
			idle.Reset(Silence)
		}
	}
}

func (c chunk) read(dir string) ([]byte, error) {
	f, err := os.Open(filepath.Join(dir, c.Name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, c.size)
	_, err = io.ReadFull(io.NewSectionReader(f, c.at, c.size), data)
	return data, err
}
