package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errInterrupted ends a command that was asked to end: by Ctrl-C, kill, or a closed terminal.
var errInterrupted = errors.New("interrupted")

// grace is how long a server has to answer what it was sent before an interruption.
const grace = 5 * time.Second

// interruptible returns a context that ends when the process is asked to end. From then on
// the work may finish what it has begun, and say how far it has come; the servers have grace
// to answer, and a second signal kills. A signal that is ignored, as under nohup, stays so.
// While the work lasts, output that nobody reads is an error like others, and kills nobody.
func interruptible(servers ...*server) (ctx context.Context, end func()) {
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

// newStoppable is an input whose reads end when a context does: a read of a pipe or a terminal
// cannot be called off, so it is left behind.
func newStoppable(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(errInterrupted) })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}
