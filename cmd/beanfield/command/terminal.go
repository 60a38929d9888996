package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stdin is what names standard input where a file or a body is expected.
const stdin = "-"

// open opens a file, or standard input.
func (c *call) open(name string) (io.ReadCloser, error) {
	if name == stdin {
		return io.NopCloser(c.Stdin), nil
	}
	return os.Open(name)
}

// readable is the name of a file that the server's own code reads, with standard input
// under the name that the system has for it.
func readable(file string) string {
	if file == stdin {
		return "/dev/stdin"
	}
	return file
}

// twice says whether a word is there more than once.
func twice(words []string, word string) bool {
	first := slices.Index(words, word)
	return first >= 0 && slices.Contains(words[first+1:], word)
}

// eachLine reads lines, the last of which need not have an end. It calls pause before it
// waits for input: what has been read so far must not wait too.
func eachLine(in io.Reader, pause func() error, each func(line []byte) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		if there, _ := r.Peek(r.Buffered()); bytes.IndexByte(there, '\n') < 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) > 0 {
			if err := each(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

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

// progress shows how far a long task has come, or for how long it has worked, if standard error is a terminal.
type progress struct {
	what  string
	total atomic.Int64 // 0: not known
	n     atomic.Int64 // done so far
	look  func() int   // says how much, if it is not told
	done  func()       // removes what is shown
}

// pace is how often progress is shown.
const pace = 200 * time.Millisecond

func (c *call) progress(what string, total int) *progress { return c.watched(what, total, nil) }

// watched is progress of what tells nothing, and is looked at.
func (c *call) watched(what string, total int, look func() int) *progress {
	p := &progress{what: what, look: look, done: func() {}}
	p.total.Store(int64(total))
	if _, terminal := terminalRows(c.Stderr); terminal {
		end, ended := make(chan bool), make(chan bool)
		p.done = sync.OnceFunc(func() {
			close(end)
			<-ended // nothing is shown any more
		})
		go func() {
			defer close(ended)
			p.show(c.Stderr, end)
		}()
	}
	return p
}

// set says how much is done.
func (p *progress) set(n int) { p.n.Store(int64(n)) }

// show draws the line again and again, until it is done.
func (p *progress) show(out io.Writer, end chan bool) {
	begun, tick := time.Now(), time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p.look != nil {
				p.set(p.look())
			}
			fmt.Fprintf(out, "\r\x1b[K%s", p.line(int(p.n.Load()), time.Since(begun)))
		case <-end:
			fmt.Fprint(out, "\r\x1b[K")
			return
		}
	}
}

const barWidth = 30

func (p *progress) line(n int, since time.Duration) string {
	rate, total := float64(n)/since.Seconds(), int(p.total.Load())
	switch {
	case n == 0:
		return fmt.Sprintf("%s, %.0f s", p.what, since.Seconds())
	case total <= 0:
		return fmt.Sprintf("%s %d, %.0f/s", p.what, n, rate)
	}
	done := min(n, total)
	filled := barWidth * done / total
	return fmt.Sprintf("%s [%s%s] %d of %d, %.0f/s", p.what,
		strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), done, total, rate)
}

// terminalRows is how many rows the terminal has that is written to, if it is one.
func terminalRows(w io.Writer) (rows int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile {
		return 0, false
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Row), true
}
