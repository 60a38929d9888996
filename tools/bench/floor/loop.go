//go:build linux

package floor

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"

	"beanfield/tools/bench/socket"
)

// readMost is what one read brings at most.
const readMost = 64 << 10

// Serve is the floor in comparisons: one goroutine reads all that is ready, runs it, and sends the replies. With a
// directory it answers when the disk has it: what is new goes to a log with one write and one sync before the replies.
// There is a queue, because which connection gets how many jobs decides how much is ready at a time, but it is the
// least that cycles need.
func Serve(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench bare", flag.ContinueOnError)
	port := f.Int("p", 0, "port on 127.0.0.1")
	dir := f.String("d", "", "`directory` of the log; empty: none")
	size := f.Int64("log", 64<<20, "`bytes` of the log, which is used again and again")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return serve(ctx, *port, newLoop(nil).all)
	}
	log, err := newLog(filepath.Join(*dir, "log"), *size)
	if err != nil {
		return err
	}
	defer log.file.Close()
	return serve(ctx, *port, newLoop(log.keep).all)
}

// A loop is that of such a server.
type loop struct {
	keep  func(group []byte) error // nil: nobody waits for a disk
	queue *queue
	conns []*conn // by descriptor
	ready []*conn // those that wait for replies
	turn  turn    // its log is that of the round, its replies those of one connection
}

// A conn has what it sent and has not been run, and what it is to get.
type conn struct {
	fd      int
	in, out []byte
	have    int // bytes of in
}

func newLoop(keep func([]byte) error) *loop { return &loop{keep: keep, queue: newQueue()} }

// all serves all connections until the end.
func (l *loop) all(ctx context.Context, epfd int) error {
	events := make([]syscall.EpollEvent, 256)
	for ctx.Err() == nil {
		n, err := socket.Wait(epfd, events, int64(longestLook))
		if err == nil {
			err = l.round(events[:n])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// round runs what has come. No reply leaves before the log is on the disk.
func (l *loop) round(events []syscall.EpollEvent) error {
	l.ready, l.turn.log = l.ready[:0], l.turn.log[:0]
	for i := range events {
		if err := l.read(int(events[i].Fd)); err != nil {
			return err
		}
	}
	if l.keep != nil && len(l.turn.log) > 0 {
		if err := l.keep(l.turn.log); err != nil {
			return err
		}
	}
	for _, c := range l.ready {
		if !send(c.fd, c.out) {
			l.close(c)
		}
	}
	return nil
}

// read runs what one read brings.
func (l *loop) read(fd int) error {
	c := l.conn(fd)
	n, e := socket.Read(fd, c.in[c.have:])
	if e == syscall.EAGAIN || e == syscall.EINTR {
		return nil
	}
	if e != 0 || n <= 0 {
		l.close(c)
		return nil
	}
	c.have += n
	l.turn.out = c.out[:0]
	taken, err := l.queue.run(c.in[:c.have], &l.turn)
	if err != nil {
		return err
	}
	if c.out = l.turn.out; len(c.out) > 0 {
		l.ready = append(l.ready, c)
	}
	if c.have = copy(c.in, c.in[taken:c.have]); c.have == len(c.in) {
		return fmt.Errorf("a command of more than %d bytes", readMost)
	}
	return nil
}

func (l *loop) conn(fd int) *conn {
	for fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
	}
	if l.conns[fd] == nil {
		l.conns[fd] = &conn{fd: fd, in: make([]byte, readMost)}
	}
	return l.conns[fd]
}

func (l *loop) close(c *conn) {
	l.conns[c.fd] = nil
	syscall.Close(c.fd)
}

// send tells whether the connection goes on. It waits for a client that reads nothing for
// a while.
func send(fd int, b []byte) bool {
	for len(b) > 0 {
		n, e := socket.Write(fd, b)
		switch e {
		case 0:
			b = b[n:]
		case syscall.EAGAIN, syscall.EINTR:
			runtime.Gosched()
		default:
			return false
		}
	}
	return true
}
