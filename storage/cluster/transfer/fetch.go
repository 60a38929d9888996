package transfer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Fetch has the node that serves behind a prefix make a snapshot, and brings it here, as into, which must not be there
// yet; the directory that it stands in must. It returns its maker's note, and how many bytes the files have. As long as
// the node says that it is still making it, only the context ends that. After an error nothing is there, and it may
// begin again, from the same node or another one. Only one may fetch into a directory.
func Fetch(ctx context.Context, nc *nats.Conn, prefix, key, into string,
	o Options) (note []byte, bytes int64, err error) {
	return get(ctx, wire{nc}, prefix, key, into, o)
}

func get(ctx context.Context, l link, prefix, key, into string, o Options) (note []byte, bytes int64, err error) {
	if err := vacant(into); err != nil {
		return nil, 0, err
	}
	f := &fetch{
		o: o.filled(), link: l, subject: deskOf(prefix), inbox: l.Inbox(), into: into,
		came: make(chan arrival, window), begun: time.Now(),
	}
	asking, fail := context.WithCancelCause(ctx)
	f.fail = fail
	unlisten, err := l.Listen(f.inbox, f.take)
	if err != nil {
		return nil, 0, fmt.Errorf("transfer: %w", err)
	}
	defer unlisten()
	if err = f.order(asking, key); err == nil {
		err = f.run(asking)
	}
	fail(nil)
	f.asking.Wait()
	_ = l.Send(f.subject, f.inbox, message{kind: kindDone}.bytes()) // if it is lost, the sender gives up soon
	if err != nil && f.receiver != nil {
		f.receiver.abandon()
	}
	return f.Note, f.bytes, err
}

// fetch is the receiving side.
type fetch struct {
	o       Options
	link    link
	subject string
	inbox   string
	into    string
	asking  sync.WaitGroup
	came    chan arrival
	begun   time.Time
	fail    context.CancelCauseFunc
	waits   sync.Map     // for answers, by the numbers of chunks
	heard   atomic.Int64 // how long after it has begun something came last
	fed     atomic.Int64 // likewise, that had not
	took    atomic.Int64 // how long chunks are under way

	list     // when the snapshot is made
	receiver *receiver
}

// arrival is a chunk that has come.
type arrival struct {
	number uint64
	data   []byte
	took   time.Duration // since it was asked for first
	err    error
}

// order has the snapshot made, and asks until it is.
func (f *fetch) order(ctx context.Context, key string) error {
	q := message{kind: kindOrder, body: []byte(key)}
	for {
		m, err := f.ask(ctx, q, func(m message) bool { return m.kind == kindStill || m.kind == kindReady })
		if err != nil {
			return err
		}
		if m.kind == kindReady {
			f.list, err = understood(m.body)
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(soon):
		}
	}
}

// run asks for chunks, as many as may be under way, and writes them, until all have come. A disk that takes long
// does not end a fetch: meanwhile nothing is asked.
func (f *fetch) run(ctx context.Context) (err error) {
	if err = f.o.Accept(f.bytes); err != nil {
		return err
	}
	if f.receiver, err = receive(f.into, f.o); err != nil {
		return err
	}
	held, flow := map[uint64][]byte{}, newFlow()
	for next, asked, done := uint64(0), uint64(0), int64(0); next < f.chunks; {
		for ; asked < min(next+flow.width, f.chunks); asked++ {
			number := asked
			f.asking.Go(func() { f.came <- f.get(ctx, number) })
		}
		a := <-f.came
		if a.err != nil {
			return a.err
		}
		flow.came(a.took)
		f.took.Store(int64(flow.took))
		held[a.number] = a.data
		for data, ok := held[next]; ok; data, ok = held[next] {
			delete(held, next)
			if err := f.receiver.write(f.chunk(next), data); err != nil {
				return err
			}
			next++
			done += int64(len(data))
			f.o.Told(done, f.bytes)
		}
	}
	return f.receiver.finish()
}

// get gets a chunk.
func (f *fetch) get(ctx context.Context, number uint64) arrival {
	begun, size := time.Now(), f.chunk(number).size
	m, err := f.ask(ctx, message{kind: kindAsk, number: number}, func(m message) bool {
		return m.kind == kindChunk && m.number == number && int64(len(m.body)) == size
	})
	return arrival{number, m.body, time.Since(begun), err}
}

// ask asks again and again until there is an answer of use, to whichever of these questions, or nothing new has come
// for Silence, whatever the sender says.
func (f *fetch) ask(ctx context.Context, q message, use func(message) bool) (message, error) {
	w := &waiting{use, make(chan message, 1)}
	f.waits.Store(q.number, w)
	defer f.waits.CompareAndDelete(q.number, w) // or w would keep what comes twice
	for asked, begun := time.Duration(0), f.clock(); ; {
		quiet := f.clock() - max(asked, time.Duration(f.heard.Load()))
		if asked == 0 || quiet >= f.again() { // else it may come behind what comes now
			if err := f.link.Send(f.subject, f.inbox, q.bytes()); err != nil && lasting(err) {
				return q, fmt.Errorf("transfer: %w", err)
			}
			asked, quiet = f.clock(), 0
		}
		select {
		case m := <-w.answer:
			f.fed.Store(int64(f.clock()))
			return m, nil
		case <-ctx.Done():
			return q, context.Cause(ctx)
		case <-time.After(f.again() - quiet):
		}
		if f.clock()-max(begun, time.Duration(f.fed.Load())) >= Silence {
			return q, ErrSilent
		}
	}
}

// waiting is for an answer.
type waiting struct {
	use    func(message) bool
	answer chan message
}

// take takes an answer. One that has come twice is heard, too: what else was asked for may be behind it.
func (f *fetch) take(_ string, data []byte) {
	m, err := opened(data)
	if m.kind == kindFailed {
		err = fmt.Errorf("%w: %s", ErrSender, m.body)
	}
	if err != nil {
		f.fail(err)
		return
	}
	w, waits := f.waits.Load(m.number)
	if !waits && m.kind == kindChunk {
		f.heard.Store(int64(f.clock()))
	}
	if w, ok := w.(*waiting); ok && w.use(m) {
		f.heard.Store(int64(f.clock()))
		select {
		case w.answer <- m:
		default:
		}
	}
}

// again is after how much silence it asks again. To ask for what is still under way would make the link slower.
func (f *fetch) again() time.Duration { return min(max(3*time.Duration(f.took.Load()), soon), 2*soon) }

func (f *fetch) clock() time.Duration { return 1 + time.Since(f.begun) }
