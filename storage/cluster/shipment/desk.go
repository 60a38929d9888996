package shipment

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
)

// Desk makes directories when other nodes order them, and offers them.
type Desk struct {
	link     link
	prefix   string
	make     Maker
	o        Options
	ctx      context.Context
	stop     context.CancelFunc
	unlisten func()
	work     sync.WaitGroup

	mu     sync.Mutex
	orders map[string][]byte // by inbox: what is answered; nil while it is being made
	closed bool
}

// Maker makes a directory. The note goes to whoever has ordered it, before the directory does. Remove is
// called when the directory is not needed any more.
type Maker func(ctx context.Context, key string) (dir string, note []byte, remove func(), err error)

// mostOrders is how many directories there are at a time: they keep disk space.
const mostOrders = 8

var errBusy = errors.New("too many orders are under way")

// Serve has a node make directories for others. The options are those of the offers; Release is not
// used.
func Serve(nc *nats.Conn, prefix string, m Maker, o Options) (*Desk, error) {
	return serve(wire{nc}, prefix, m, o)
}

func serve(l link, prefix string, m Maker, o Options) (*Desk, error) {
	d := &Desk{link: l, prefix: prefix, make: m, o: o, orders: map[string][]byte{}}
	d.ctx, d.stop = context.WithCancel(context.Background())
	var err error
	d.unlisten, err = l.Listen(deskOf(prefix), d.asked)
	return d, err
}

// deskOf is where a node takes orders. No shipment has that name.
func deskOf(prefix string) string { return prefix + ".desk" }

// Close ends what is under way, and waits until all directories are removed.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.unlisten()
	d.stop()
	d.work.Wait()
}

// asked takes an order, or one that is asked for again because it takes long.
func (d *Desk) asked(reply string, data []byte) {
	if err := stranger(data); err != nil && reply != "" {
		_ = d.link.Send(reply, "", failed(err)) // whose version says it all
		return
	}
	kind, key, ok := opened(data)
	if !ok || kind != kindOrder || reply == "" {
		return
	}
	answer := seal(begin(nil, kindStill))
	d.mu.Lock()
	switch made, known := d.orders[reply]; {
	case d.closed || !known && len(d.orders) >= mostOrders:
		answer = failed(errBusy)
	case !known:
		d.orders[reply] = nil
		d.work.Go(func() { d.fill(reply, string(key)) })
	case made != nil:
		answer = made
	}
	d.mu.Unlock()
	_ = d.link.Send(reply, "", answer)
}

// fill makes what was ordered, and offers it until that ends.
func (d *Desk) fill(reply, key string) {
	defer func() {
		d.mu.Lock()
		delete(d.orders, reply)
		d.mu.Unlock()
	}()
	dir, note, remove, err := d.make(d.ctx, key)
	if err != nil {
		_ = d.link.Send(reply, "", failed(err))
		return
	}
	o := d.o
	o.Release = remove
	s, err := offer(d.link, d.prefix, dir, o)
	if err != nil {
		remove()
		_ = d.link.Send(reply, "", failed(err))
		return
	}
	answer := ready{s.Name, note}.encode()
	d.mu.Lock()
	d.orders[reply] = answer
	d.mu.Unlock()
	_ = d.link.Send(reply, "", answer)
	defer context.AfterFunc(d.ctx, s.Close)()
	<-s.Ended()
}
