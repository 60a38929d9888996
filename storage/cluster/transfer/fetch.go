package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Fetch has the node that serves behind a prefix make a snapshot, and brings it here, as into, which must not be there
// yet; the directory that it stands in must. It returns how many bytes the files have. As long as the node says that it
// is still making it, only the context ends that. After an error nothing is there, and it may begin again, from the
// same node or another one. Only one may fetch into a directory.
func Fetch(ctx context.Context, nc *nats.Conn, prefix, key, into string, o Options) (int64, error) {
	return get(ctx, wire{nc}, prefix, key, into, o)
}

func get(ctx context.Context, l link, prefix, key, into string, o Options) (int64, error) {
	if err := vacant(into); err != nil {
		return 0, err
	}
	f := &fetch{
		o: o.filled(), link: l, subject: deskOf(prefix), inbox: l.Inbox(), order: message(kindOrder, key), into: into,
		messages: make(chan arrival, 2*window), flow: newFlow(), held: map[uint64][]byte{},
	}
	unlisten, err := l.Listen(f.inbox, f.heard)
	if err != nil {
		return 0, err
	}
	defer unlisten()
	err = f.run(ctx)
	_ = f.say(message(kindDone, "")) // if it is lost, the sender is idle soon
	if err != nil {
		if f.receiver != nil {
			f.receiver.abandon()
		}
		return 0, err
	}
	return f.Total - f.List, nil
}

// arrival is a message that has come, and when.
type arrival struct {
	data []byte
	at   time.Time
}

// fetch is the receiving side.
type fetch struct {
	o        Options
	link     link
	subject  string
	inbox    string
	order    []byte
	into     string
	messages chan arrival
	flow     flow

	shape                      // when the snapshot is made
	chunks   uint64            // how many there are; 0 until then
	next     uint64            // all before it are written
	asked    uint64            // all before it were asked for
	held     map[uint64][]byte // those behind next that have come
	list     []byte            // until it is whole
	receiver *receiver         // from then on
}

// heard takes a message. What there is no room for is asked for again.
func (f *fetch) heard(_ string, data []byte) {
	select {
	case f.messages <- arrival{data, time.Now()}:
	default:
	}
}

// run asks and takes until all has come. Silence is the sum of waits between asks, so a disk that takes
// long does not end a fetch.
func (f *fetch) run(ctx context.Context) error {
	if err := f.say(f.order); err != nil {
		return err
	}
	wait := f.flow.again(f.o.Silence)
	retry := time.NewTimer(wait)
	defer retry.Stop()
	fed := time.Now() // when something came last that had not
	var unheard time.Duration
	for f.chunks == 0 || f.next < f.chunks {
		select {
		case <-ctx.Done():
			return fmt.Errorf("transfer: %w", context.Cause(ctx))
		case m := <-f.messages:
			heard, brings, err := f.take(m)
			if err != nil {
				return err
			}
			if heard { // also if it has come twice: what else was asked for may be behind it
				unheard, wait = 0, f.flow.again(f.o.Silence)
				retry.Reset(wait)
			}
			if brings {
				fed = time.Now()
			} else if time.Since(fed) >= hunger*f.o.Silence {
				return ErrSilent // whatever it says, and however often
			}
			if err := f.more(); err != nil {
				return err
			}
		case <-retry.C:
			retry.Reset(wait)
			if len(f.messages) > 0 {
				continue
			}
			if unheard += wait; unheard >= f.o.Silence || time.Since(fed) >= hunger*f.o.Silence {
				return ErrSilent
			}
			if err := f.again(); err != nil {
				return err
			}
		}
	}
	return f.receiver.finish()
}

// say says something to the sender.
func (f *fetch) say(message []byte) error {
	if err := f.link.Send(f.subject, f.inbox, message); err != nil && lasting(err) {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}

// more asks for further chunks, as many as may be under way.
func (f *fetch) more() error {
	for now := time.Now(); f.asked < min(f.next+f.flow.width, f.chunks); f.asked++ {
		f.flow.asks(f.asked, now)
		if err := f.say(ask(f.asked)); err != nil {
			return err
		}
	}
	return nil
}

// again says again what was not answered: the order, or which chunks are wanted.
func (f *fetch) again() error {
	if f.chunks == 0 {
		return f.say(f.order)
	}
	for n := f.next; n < f.asked; n++ {
		if _, come := f.held[n]; come {
			continue
		}
		if err := f.say(ask(n)); err != nil {
			return err
		}
	}
	return nil
}

// take takes a message. It tells whether it is one of the sender's, and whether it brings what had not come.
func (f *fetch) take(m arrival) (heard, fed bool, err error) {
	kind, rest, err := opened(m.data)
	if err != nil {
		return true, false, err
	}
	switch kind {
	case kindStill:
		return true, f.chunks == 0, nil
	case kindFailed:
		return true, false, fmt.Errorf("%w: %s", ErrSender, rest)
	case kindReady:
		return true, f.chunks == 0, f.begin(rest)
	case kindChunk:
		number, data, ok := numbered(rest)
		_, double := f.held[number]
		if !ok || double || number < f.next || number >= f.asked || len(data) != f.length(number) {
			return ok, false, nil
		}
		f.flow.came(number, m.at)
		f.held[number] = data
		return true, true, f.write()
	}
	return false, false, nil
}

// begin takes the shape of the snapshot.
func (f *fetch) begin(text []byte) error {
	if f.chunks != 0 {
		return nil
	}
	if err := json.Unmarshal(text, &f.shape); err != nil || !f.possible() {
		return fmt.Errorf("%w: %d bytes of names, %d in all", ErrList, f.List, f.Total)
	}
	f.chunks = f.shape.chunks()
	f.o.Begun(f.Note)
	return nil
}

// write writes the chunks that are next.
func (f *fetch) write() error {
	for data, ok := f.held[f.next]; ok; data, ok = f.held[f.next] {
		delete(f.held, f.next)
		data, err := f.listed(data)
		if err == nil && f.receiver != nil {
			err = f.receiver.write(data)
		}
		if err != nil {
			return err
		}
		f.next++
		f.o.Told(max(min(int64(f.next)*int64(f.Size), f.Total)-f.List, 0), f.Total-f.List)
	}
	return nil
}

// listed takes what is missing of the list, and begins to receive files when the list is whole. The rest is of files.
func (f *fetch) listed(p []byte) (rest []byte, err error) {
	if f.receiver != nil {
		return p, nil
	}
	n := min(f.List-int64(len(f.list)), int64(len(p)))
	if f.list = append(f.list, p[:n]...); int64(len(f.list)) < f.List {
		return nil, nil
	}
	files, err := understood(f.list, f.Total-f.List)
	if err == nil {
		err = f.o.Accept(f.Total - f.List)
	}
	if err == nil {
		f.receiver, err = receive(f.into, files, f.o)
	}
	return p[n:], err
}
