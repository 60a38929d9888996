package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// progress shows how far a long task has come, or for how long it has worked, if standard error is a terminal.
type progress struct {
	what  string
	total atomic.Int64 // 0: not known
	n     atomic.Int64 // done so far
	look  func() int   // says how much, if it is not told
	end   chan struct{}
	ended chan struct{} // closed when nothing is shown any more
	once  sync.Once
}

// pace is how often progress is shown.
const pace = 200 * time.Millisecond

func (c *call) progress(what string, total int) *progress { return c.watched(what, total, nil) }

// watched is progress of what tells nothing, and is looked at.
func (c *call) watched(what string, total int, look func() int) *progress {
	p := &progress{what: what, look: look, end: make(chan struct{}), ended: make(chan struct{})}
	p.total.Store(int64(total))
	if _, _, terminal := terminalSize(c.Stderr); terminal {
		go p.show(c.Stderr)
	} else {
		close(p.ended)
	}
	return p
}

// set says how much is done.
func (p *progress) set(n int) { p.n.Store(int64(n)) }

// done removes what is shown.
func (p *progress) done() {
	p.once.Do(func() { close(p.end) })
	<-p.ended
}

// show draws the line again and again, until it is done.
func (p *progress) show(out io.Writer) {
	defer close(p.ended)
	begun, tick := time.Now(), time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p.look != nil {
				p.set(p.look())
			}
			fmt.Fprintf(out, "\r\x1b[K%s", p.line(int(p.n.Load()), time.Since(begun)))
		case <-p.end:
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

// terminalSize is the size of the terminal that is written to, if it is one.
func terminalSize(w io.Writer) (columns, rows int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0, 0, false
	}
	return int(size.columns), int(size.rows), true
}
