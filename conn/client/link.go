package client

import (
	"context"
	"fmt"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// link is a connection, with what this side has to know of the server's side. One goroutine uses it
// at a time.
type link struct {
	wire    *wire.Client
	can     map[string]bool     // what beanstalkd cannot
	used    string              // the tube in use
	watched map[string]bool     // the tubes that are watched
	held    map[uint64]struct{} // jobs that may be reserved
	grace   time.Duration       // for the answer to a wait that is called off; 0: none can be
	since   time.Time           // it has been idle
}

func newLink(w *wire.Client) *link {
	return &link{wire: w, can: map[string]bool{}, used: defaultTube, watched: map[string]bool{defaultTube: true},
		held: map[uint64]struct{}{}}
}

// during does something that ends with the context, or so much later (GC2).
func (l *link) during(ctx context.Context, grace time.Duration, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return l.judge(ctx, do())
	}
	hurried := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		l.wire.Hurry(grace)
		close(hurried)
	})
	err := do()
	if !stop() {
		<-hurried
		l.wire.Calm() // all replies were there in time
	}
	return l.judge(ctx, err)
}

// judge says in this package's words how it ended. A connection that is not in step is ended at once, so
// that others get its jobs.
func (l *link) judge(ctx context.Context, err error) error {
	lost := l.wire.Err()
	if lost == nil {
		return translated(err)
	}
	_ = l.wire.HangUp() // there is nothing to lose any more
	if ctx.Err() != nil {
		lost = ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrLost, lost)
}

// await sends a command that may wait for so long, and its body if it has one. If the context ends before that, the
// wait is called off.
func (l *link) await(ctx context.Context, wait time.Duration, line string, body *[]byte) (wire.Reply, error) {
	switch {
	case wait > 0 && l.can["call-off"]:
		return l.wire.AskUntil(ctx, wait, line, body)
	case body != nil:
		return l.wire.PutWithin(wait, line, *body)
	}
	return l.wire.AskWithin(wait, line)
}

// needs is an error if the server does not have a command.
func (l *link) needs(command string) error {
	if !l.can[command] {
		return fmt.Errorf("%s: %w", command, ErrUnsupported)
	}
	return nil
}

// use makes a tube the one in use. It waits for the answer: nothing that follows may go to the
// wrong tube (GC3).
func (l *link) use(tube string) error {
	if err := checkTube(tube); err != nil || tube == l.used {
		return err
	}
	_, err := l.wire.Get("USING", "use %s", tube)
	if err == nil {
		l.used = tube
	}
	return err
}

// watch makes these the tubes that are watched (GC3). One has to be watched always, so the new ones
// come first.
func (l *link) watch(tubes []string) error {
	want := make(map[string]bool, len(tubes))
	for _, tube := range tubes {
		if err := checkTube(tube); err != nil {
			return err
		}
		want[tube] = true
	}
	for tube := range want {
		if l.watched[tube] {
			continue
		}
		if _, err := l.wire.Get("WATCHING", "watch %s", tube); err != nil {
			return err
		}
		l.watched[tube] = true
	}
	for tube := range l.watched {
		if want[tube] {
			continue
		}
		if _, err := l.wire.Get("WATCHING", "ignore %s", tube); err != nil {
			return err
		}
		delete(l.watched, tube)
	}
	return nil
}

// end ends the connection. The server has released what was reserved when it returns.
func (l *link) end() error {
	switch {
	case l.wire.Err() != nil:
		return nil // judge has ended it
	case len(l.held) == 0:
		return l.wire.HangUp()
	}
	return l.wire.Close()
}
