package queueservice

import (
	"syscall"
	"time"

	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// A lone item for a consumer that has been idle is written by the goroutine that brings
// it, while the writer goes on sleeping. On several processors, waking another goroutine
// takes about half as long as everything else between a put and the push. The write does
// not block. Items that come soon after one another, or in one turn with many others, are
// left to the writers.

// loneApart is how long a consumer must have been idle, and loneBody is the longest body
// that is written this way.
const (
	loneApart = int64(time.Millisecond)
	loneBody  = 1 << 10
)

// loneUnreported is how much lone items may weigh before the writer is woken to report
// them. If a quarter of what may be unsent is less, that counts instead.
const loneUnreported = 1 << 10

var epoch = time.Now()

// now is a monotonic time in nanoseconds.
func now() int64 { return int64(time.Since(epoch)) }

// lone writes to a socket in place of the writer.
type lone struct {
	writer *writer // its framing does not change
	raw    syscall.RawConn
	try    func(fd uintptr)
	frame  []byte
	n      int
}

// newLone returns nil for a connection that is not a socket.
func newLone(w *writer, k *socket) *lone {
	c, ok := k.Conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	l := &lone{writer: w, raw: raw}
	l.try = func(fd uintptr) { l.n, _ = syscall.Write(int(fd), l.frame) }
	return l
}

// suits says whether a parcel may be written this way.
func (l *lone) suits(p *queue.Parcel) bool {
	return l != nil && !p.Crowd && !p.Over && len(p.Items) == 1 && p.Items[0].Size <= loneBody && !p.Items[0].Lost
}

// write writes as much of a frame as the socket takes, and returns how much that was.
func (l *lone) write(frame []byte) int {
	l.frame, l.n = frame, 0
	err := l.raw.Control(l.try)
	l.frame = nil
	if err != nil {
		return 0
	}
	return max(l.n, 0)
}

// send writes a parcel of one item. If the socket takes only a part of the frame, send
// returns the rest; if the socket takes nothing, ok is false.
func (l *lone) send(p *queue.Parcel) (rest []byte, ok bool) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	frame := l.writer.frame((*buffer)[:0], p, 0)
	n := l.write(frame)
	return append(rest, frame[n:]...), n > 0
}

// receiveLone is Receive for a parcel that suits lone, while the writer sleeps. The
// caller holds mu; when receiveLone returns, it is unlocked.
func (o *outbox) receiveLone(p *queue.Parcel) {
	o.asleep = false // nobody wakes the writer meanwhile
	o.mu.Unlock()
	rest, ok := o.lone.send(p)
	o.mu.Lock()
	if ok {
		o.rest = rest
		o.alone = append(o.alone, p)
		o.aloneWeight += p.Weight()
	} else {
		o.parcels = append(o.parcels, p)
		copy(o.parcels[1:], o.parcels)
		o.parcels[0] = p // ahead of those that have come meanwhile
	}
	o.asleep = true
	if o.idle() {
		o.mu.Unlock()
		return
	}
	o.stir()
}

// sayAlone is say while the writer sleeps: a writer that need not wake for each ping of
// an idle consumer keeps its small stack. The caller holds mu; when sayAlone returns, it
// is unlocked.
func (o *outbox) sayAlone(op ws.OpCode, payload []byte) {
	o.asleep = false
	o.mu.Unlock()
	buffer := buffers.Get().(*[]byte)
	frame := append(appendDataHeader((*buffer)[:0], op, len(payload)), payload...)
	n := o.lone.write(frame)
	o.mu.Lock()
	if n > 0 {
		o.rest = append(o.rest, frame[n:]...)
	} else {
		o.control = append(append([]byte(nil), frame...), o.control...)
	}
	buffers.Put(buffer)
	o.asleep = true
	if o.idle() {
		o.mu.Unlock()
		return
	}
	o.stir()
}

// idle says that there is nothing for the writer to do. The caller holds mu.
func (o *outbox) idle() bool {
	return len(o.parcels) == 0 && len(o.control) == 0 && len(o.rest) == 0 && !o.over && (o.aloneWeight == 0 || o.aloneWeight < o.aloneMost)
}
