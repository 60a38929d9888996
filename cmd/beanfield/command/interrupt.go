package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
)

// errInterrupted ends a command that was asked to end: by Ctrl-C, kill, or a closed terminal.
var errInterrupted = errors.New("interrupted")

// grace is how long a server has to answer what it was sent before an interruption.
const grace = 5 * time.Second

// interruptible returns a context that ends when the process is asked to end. From then on
// the work may finish what it has begun, and say how far it has come; the servers have grace
// to answer, and a second signal kills. A signal that is ignored, as under nohup, stays so.
// While the work lasts, output that nobody reads is an error like others, and kills nobody.
func interruptible(servers ...*client.Client) (ctx context.Context, end func()) {
	var wanted []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			wanted = append(wanted, s)
		}
	}
	if len(wanted) == 0 {
		wanted = []os.Signal{syscall.SIGTERM} // none would mean all
	}
	ctx, stop := signal.NotifyContext(context.Background(), wanted...)
	quiet := make(chan os.Signal, 1)
	signal.Notify(quiet, syscall.SIGPIPE)
	waiting := context.AfterFunc(ctx, func() {
		stop() // so that a second signal kills
		for _, s := range servers {
			s.Hurry(grace)
		}
	})
	return ctx, func() {
		waiting()
		stop()
		signal.Stop(quiet)
	}
}

// stopped is errInterrupted once a command was asked to end.
func stopped(ctx context.Context) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// piece is what a read has returned.
type piece struct {
	n   int
	err error
}

// stoppable is an input whose reads end when a context does: a read of a pipe or a terminal
// cannot be called off, so it is left behind.
type stoppable struct {
	ctx  context.Context
	want chan []byte
	got  chan piece
	buf  []byte
	left []byte // of buf
	err  error
}

func newStoppable(ctx context.Context, in io.Reader) *stoppable {
	s := &stoppable{ctx: ctx, want: make(chan []byte), got: make(chan piece, 1), buf: make([]byte, 64<<10)}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case b := <-s.want:
				n, err := in.Read(b)
				s.got <- piece{n, err}
			}
		}
	}()
	return s
}

func (s *stoppable) Read(b []byte) (int, error) {
	if len(s.left) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		select {
		case s.want <- s.buf:
		case <-s.ctx.Done():
			return 0, errInterrupted
		}
		select {
		case p := <-s.got:
			s.left, s.err = s.buf[:p.n], p.err
		case <-s.ctx.Done():
			return 0, errInterrupted
		}
	}
	n := copy(b, s.left)
	s.left = s.left[n:]
	if n == 0 {
		return 0, s.err
	}
	return n, nil
}
