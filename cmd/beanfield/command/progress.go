package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// progress shows how far a long task has come, if standard error is a terminal.
type progress struct {
	out   io.Writer // nil: nobody looks
	what  string
	total int // 0: not known
	begun time.Time
	shown time.Time
}

// pace is how often progress is shown.
const pace = 200 * time.Millisecond

func (c *call) progress(what string, total int) *progress {
	p := &progress{what: what, total: total, begun: time.Now(), shown: time.Now()}
	if _, _, ok := terminalSize(c.Stderr); ok {
		p.out = c.Stderr
	}
	return p
}

// set says how much is done.
func (p *progress) set(n int) {
	if p.out == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.shown) < pace {
		return
	}
	p.shown = now
	fmt.Fprintf(p.out, "\r\x1b[K%s", p.line(n, now.Sub(p.begun)))
}

const barWidth = 30

func (p *progress) line(n int, since time.Duration) string {
	rate := float64(n) / since.Seconds()
	if p.total <= 0 {
		return fmt.Sprintf("%s %d, %.0f/s", p.what, n, rate)
	}
	done := min(n, p.total)
	filled := barWidth * done / p.total
	return fmt.Sprintf("%s [%s%s] %d of %d, %.0f/s", p.what,
		strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), done, p.total, rate)
}

// done removes what was shown.
func (p *progress) done() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
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
