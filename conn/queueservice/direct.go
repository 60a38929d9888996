package queueservice

import (
	"syscall"

	"github.com/gobwas/ws"
)

// A ping or a pong for an idle consumer is written by the goroutine that has it, while the
// writer goes on sleeping: if the writer woke for each ping, it would keep a larger stack, and an
// idle consumer would take 16.0 KB instead of 13.4. Items were once written in this way, too. It
// bought nothing: with one consumer and one item at a time, 0.98 to 0.99 of the rate of a writer
// that wakes, on one processor and on two.

// direct writes to a socket in place of the writer. The write does not block.
type direct struct {
	raw   syscall.RawConn
	try   func(fd uintptr)
	frame []byte
	n     int
}

// newDirect returns nil for a connection that is not a socket.
func newDirect(k *socket) *direct {
	c, ok := k.Conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	d := &direct{raw: raw}
	d.try = func(fd uintptr) { d.n, _ = syscall.Write(int(fd), d.frame) }
	return d
}

// write writes as much of a frame as the socket takes, and returns how much that was.
func (d *direct) write(frame []byte) int {
	d.frame, d.n = frame, 0
	err := d.raw.Control(d.try)
	d.frame = nil
	if err != nil {
		return 0
	}
	return max(d.n, 0)
}

// sayDirectly is say while the writer sleeps. The caller holds mu; when sayDirectly returns, it
// is unlocked.
func (o *outbox) sayDirectly(op ws.OpCode, payload []byte) {
	o.asleep = false // nobody wakes the writer meanwhile
	o.mu.Unlock()
	buffer := buffers.Get().(*[]byte)
	frame := append(appendDataHeader((*buffer)[:0], op, len(payload)), payload...)
	n := o.direct.write(frame)
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
	return len(o.deliveries) == 0 && len(o.control) == 0 && len(o.rest) == 0 && !o.over
}
