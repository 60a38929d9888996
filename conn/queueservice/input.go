package queueservice

import (
	"errors"
	"os"
	"time"

	"github.com/gobwas/ws"
)

// errDead is how the watch of a dead peer ends.
var errDead = errors.New("queueservice: nothing comes from the client")

// input reads what a consumer sends, which is little: a small buffer, refilled with
// one system call. If nothing comes for a while it sends a ping, and if nothing comes
// after that either, the peer is dead.
type input struct {
	c      *consumer
	early  []byte // what net/http had read beyond the request
	buffer [192]byte
	from   int // buffer[from:to] is unread
	to     int
	pinged bool
}

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	if len(in.early) > 0 {
		n := copy(p, in.early)
		if in.early = in.early[n:]; len(in.early) == 0 {
			in.early = nil
		}
		return n, nil
	}
	if in.from < in.to {
		n := copy(p, in.buffer[in.from:in.to])
		in.from += n
		return n, nil
	}
	if len(p) >= len(in.buffer) {
		return in.receive(p)
	}
	n, err := in.receive(in.buffer[:])
	if err != nil {
		return 0, err
	}
	in.from, in.to = copy(p, in.buffer[:n]), n
	return in.from, nil
}

// receive waits for bytes.
func (in *input) receive(p []byte) (int, error) {
	for {
		in.c.socket.SetReadDeadline(time.Now().Add(in.c.server.now.Load().DeadAfter / 2))
		if in.c.closing.Load() {
			in.c.socket.SetReadDeadline(time.Now().Add(closePatience))
		}
		n, err := in.c.socket.Read(p)
		if n > 0 {
			in.pinged = false
			return n, nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || in.c.closing.Load() {
			return 0, err
		}
		if in.pinged {
			return 0, errDead
		}
		in.pinged = true
		in.c.outbox.say(ws.OpPing, nil)
	}
}
