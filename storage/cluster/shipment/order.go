package shipment

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Order has the node that serves behind a prefix make a directory, and fetches it. Begun is given the
// maker's note before the fetch begins. As long as the node says that it is still making it, only the
// context ends that.
func Order(ctx context.Context, nc *nats.Conn, prefix, key, into string, o Options) (int64, error) {
	return have(ctx, wire{nc}, prefix, key, into, o)
}

func have(ctx context.Context, l link, prefix, key, into string, o Options) (int64, error) {
	if err := vacant(into); err != nil {
		return 0, err
	}
	r, err := await(ctx, l, prefix, key, o.filled())
	if err != nil {
		return 0, err
	}
	if o.Begun != nil {
		o.Begun(r.note)
	}
	return get(ctx, l, prefix, r.name, into, o)
}

// await orders, again and again, until the directory is made.
func await(ctx context.Context, l link, prefix, key string, o Options) (ready, error) {
	inbox, answers := l.Inbox(), make(chan []byte, 1)
	unlisten, err := l.Listen(inbox, func(_ string, data []byte) {
		select {
		case answers <- data:
		default: // the order is answered again
		}
	})
	if err != nil {
		return ready{}, err
	}
	defer unlisten()
	again := time.NewTicker(o.Silence / patience)
	defer again.Stop()
	message := seal(append(begin(nil, kindOrder), key...))
	for unheard := 0; unheard < patience; unheard++ {
		if err := l.Send(deskOf(prefix), inbox, message); err != nil && lasting(err) {
			return ready{}, fmt.Errorf("shipment: %w", err)
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return ready{}, fmt.Errorf("shipment: %w", context.Cause(ctx))
			case <-again.C:
				waiting = false
			case m := <-answers:
				if err := stranger(m); err != nil {
					return ready{}, err
				}
				kind, rest, ok := opened(m)
				r, is := decodeReady(kind, rest)
				switch {
				case is:
					return r, nil
				case ok && kind == kindFailed:
					return ready{}, fmt.Errorf("%w: %s", ErrSender, rest)
				case ok && kind == kindStill:
					unheard = 0
				}
			}
		}
	}
	return ready{}, ErrSilent
}
