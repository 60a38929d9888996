package audit

import (
	"bytes"
	"io"
	"time"
)

// mostBatch bounds what is written at once, in bytes.
const mostBatch = 64 << 10

// write is the writer's goroutine.
func (l *Log) write() {
	defer close(l.ended)
	for {
		select {
		case e := <-l.queue:
			l.batch(e)
		case file := <-l.next:
			l.change(file)
		case <-l.ending:
			for len(l.queue) > 0 {
				l.batch(<-l.queue)
			}
			l.put(nil, 0)
			l.file.Close()
			return
		}
	}
}

// change goes on in another file.
func (l *Log) change(file io.WriteCloser) {
	l.file.Close()
	l.file, l.broken = file, false
}

// batch writes an event, and those that wait behind it.
func (l *Log) batch(e Event) {
	b, n := appendLine(nil, e), 1
	for len(b) < mostBatch && len(l.queue) > 0 {
		b = appendLine(b, <-l.queue)
		n++
	}
	l.put(b, n)
}

// put writes the lines of n events. Ahead of them it says how many have been lost.
func (l *Log) put(lines []byte, n int) {
	select {
	case file := <-l.next: // what is told after Reopen is not for the old file (J3)
		l.change(file)
	default:
	}
	var b []byte
	if l.broken {
		b = append(b, '\n')
	}
	lost := l.lost.Load()
	if lost > l.told {
		b = appendLine(b, loss{time.Now().UTC(), lost - l.told})
		l.warn("events are missing in the audit log", "lost", lost)
	}
	head := len(b)
	if b = append(b, lines...); len(b) == 0 {
		return
	}
	written, err := l.file.Write(b)
	whole := written // with a newline that only has to follow
	if written > 0 && written < len(b) && b[written] == '\n' {
		whole++
	}
	if whole >= head {
		l.told = lost
	}
	if err == nil {
		l.broken = false
		return
	}
	l.broken = written > 0 && b[written-1] != '\n' || written == 0 && l.broken
	l.lost.Add(uint64(min(n, bytes.Count(b[whole:], []byte{'\n'}))))
	l.warn("the audit log cannot be written", "error", err)
}

// warn tells the server's log, but not too often.
func (l *Log) warn(text string, args ...any) {
	if now := time.Now(); now.Sub(l.warned) >= warnEvery {
		l.warned = now
		l.log.Error(text, args...)
	}
}
