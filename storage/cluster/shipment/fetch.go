package shipment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"
)

// Fetch brings an offered directory here, as into, which must not be there yet; the directory that it
// stands in must. It returns how many bytes its files have. After an error nothing is there, and the
// fetch may begin again, from the same sender or another one. Only one may fetch into a directory.
func Fetch(ctx context.Context, nc *nats.Conn, prefix, name, into string, o Options) (int64, error) {
	return get(ctx, wire{nc}, prefix, name, into, o)
}

func get(ctx context.Context, l link, prefix, name, into string, o Options) (int64, error) {
	subject, ok := subjectOf(prefix, name)
	if !ok {
		return 0, fmt.Errorf("%w: no shipment is called %q", ErrSender, name)
	}
	if err := vacant(into); err != nil {
		return 0, err
	}
	f := &fetch{o: o.filled(), link: l, subject: subject, inbox: l.Inbox(), into: into,
		messages: make(chan message, 2*window), flow: newFlow(), chunks: math.MaxUint64, held: map[uint64]chunk{}}
	unlisten, err := l.Listen(f.inbox, f.heard)
	if err != nil {
		return 0, err
	}
	defer unlisten()
	if err := f.run(ctx); err != nil {
		if f.landing != nil {
			f.landing.abandon()
		}
		return 0, err
	}
	_ = l.Send(subject, "", ask{kind: kindDone}.encode()) // if it is lost, the sender is idle soon
	return f.total - f.list, nil
}

// message is one that has come, and when.
type message struct {
	data []byte
	at   time.Time
}

// fetch is the receiving side.
type fetch struct {
	o        Options
	link     link
	subject  string
	inbox    string
	into     string
	messages chan message
	flow     flow

	shape                    // of the stream, when the first chunk has come
	chunks  uint64           // how many there are
	next    uint64           // all before it are written
	asked   uint64           // all before it were asked for
	held    map[uint64]chunk // those behind next that have come
	names   []byte           // the list, until it is whole
	landing *landing         // from then on
}

// heard takes a message. What there is no room for is asked for again.
func (f *fetch) heard(_ string, data []byte) {
	select {
	case f.messages <- message{data, time.Now()}:
	default:
	}
}

// run asks and takes until all has come. Silence is the sum of waits between asks, so a disk that takes
// long does not end a fetch.
func (f *fetch) run(ctx context.Context) error {
	wait := f.flow.again(f.o.Silence)
	retry := time.NewTimer(wait)
	defer retry.Stop()
	var unheard, unfed time.Duration
	if err := f.more(); err != nil {
		return err
	}
	for f.next < f.chunks {
		select {
		case <-ctx.Done():
			return fmt.Errorf("shipment: %w", context.Cause(ctx))
		case m := <-f.messages:
			heard, fed, err := f.take(m)
			if err != nil {
				return err
			}
			if heard { // also if it has come twice: what else was asked for may be behind it
				unheard, wait = 0, f.flow.again(f.o.Silence)
				retry.Reset(wait)
			}
			if fed {
				unfed = 0
				if err := f.more(); err != nil {
					return err
				}
			}
		case <-retry.C:
			retry.Reset(wait)
			if len(f.messages) > 0 {
				continue
			}
			if unheard, unfed = unheard+wait, unfed+wait; unheard >= f.o.Silence || unfed >= hunger*f.o.Silence {
				return ErrSilent
			}
			if err := f.ask(f.next); err != nil {
				return err
			}
		}
	}
	return f.landing.finish()
}

// more asks for further chunks when a part of the width is free.
func (f *fetch) more() error {
	end := min(f.next+f.flow.width, f.chunks)
	if end > f.asked && (end-f.asked >= f.flow.width/4 || end == f.chunks) {
		from, now := f.asked, time.Now()
		for f.asked = end; end > from; end-- {
			f.flow.asks(end-1, now)
		}
		return f.ask(from)
	}
	return nil
}

// ask asks for the chunks under way that have not come, from one on.
func (f *fetch) ask(from uint64) error {
	a := ask{kind: kindAsk, from: f.next}
	for n := from; n < f.asked; n++ {
		if _, ok := f.held[n]; !ok {
			a.mask |= 1 << (n - f.next)
		}
	}
	if err := f.link.Send(f.subject, f.inbox, a.encode()); err != nil && lasting(err) {
		return fmt.Errorf("shipment: %w", err)
	}
	return nil
}

// take takes a message. It tells whether it is one of the sender's, and whether it is a chunk that
// had not come.
func (f *fetch) take(m message) (heard, fed bool, err error) {
	if err := stranger(m.data); err != nil {
		return true, false, err
	}
	kind, rest, ok := opened(m.data)
	if !ok {
		return false, false, nil
	}
	switch kind {
	case kindStill:
		return true, false, nil
	case kindFailed:
		return true, false, fmt.Errorf("%w: %s", ErrSender, rest)
	case kindChunk:
		c, ok := decodeChunk(rest)
		if _, double := f.held[c.number]; !ok || double || c.number < f.next || c.number >= f.next+window {
			return ok, false, nil
		}
		if f.size == 0 {
			f.shape, f.chunks = c.shape, c.shape.chunks()
			f.asked = min(f.asked, f.chunks)
		}
		if c.shape != f.shape {
			return true, false, fmt.Errorf("%w: chunks of several shipments", ErrBroken)
		}
		f.flow.came(c.number, m.at)
		f.held[c.number] = c
		return true, true, f.write()
	}
	return false, false, nil
}

// write writes the chunks that are next.
func (f *fetch) write() error {
	for c, ok := f.held[f.next]; ok; c, ok = f.held[f.next] {
		delete(f.held, f.next)
		sums, data, err := f.gather(c.data)
		if err == nil && f.landing != nil {
			sums, err = f.landing.write(data, sums)
		}
		if err != nil {
			return err
		}
		if !slices.Equal(sums, c.sums) {
			return fmt.Errorf("%w: a file has another hash", ErrBroken)
		}
		f.next++
		f.o.Told(max(min(int64(f.next)*int64(f.size), f.total)-f.list, 0), f.total-f.list)
	}
	return nil
}

// gather takes what is missing of the list, and begins to land when the list is whole. The rest is of
// files.
func (f *fetch) gather(p []byte) (sums []uint64, rest []byte, err error) {
	if f.landing != nil {
		return nil, p, nil
	}
	n := min(f.list-int64(len(f.names)), int64(len(p)))
	f.names = append(f.names, p[:n]...)
	if int64(len(f.names)) < f.list {
		return nil, nil, nil
	}
	entries, err := decodeList(f.names, f.total-f.list)
	if err == nil {
		err = f.o.Accept(f.total - f.list)
	}
	if err == nil {
		f.landing, err = land(f.into, entries, f.o)
	}
	return []uint64{xxhash.Sum64(f.names)}, p[n:], err
}
