package push

import (
	"fmt"
	"syscall"

	"beanfield/tools/bench/socket"
)

// A party is one end of a connection. It reads what comes.
type party interface {
	// take handles what has arrived, and returns how much of it was whole.
	take(b []byte) (int, error)
}

// A wire is a socket that never blocks.
type wire struct {
	fd   int
	who  party
	rest []byte // the start of something whose end has not arrived
}

// send sends a request. Sockets have room for all that a party may have outstanding.
func (w *wire) send(b []byte) error {
	if n, e := socket.Write(w.fd, b); e != 0 || n < len(b) {
		return fmt.Errorf("%d of %d bytes were sent: %w", n, len(b), e)
	}
	return nil
}

// A loop drives wires from one goroutine.
type loop struct {
	epfd   int
	wires  []*wire
	events []syscall.EpollEvent
	input  []byte
}

const (
	loopEvents = 64
	loopInput  = 256 << 10
)

func newLoop() (*loop, error) {
	epfd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &loop{epfd: epfd, events: make([]syscall.EpollEvent, loopEvents), input: make([]byte, loopInput)}, nil
}

// add takes over a connected socket. It closes it if it cannot.
func (l *loop) add(fd int, who party) (*wire, error) {
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(len(l.wires))}
	w := &wire{fd: fd, who: who}
	l.wires = append(l.wires, w)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return w, syscall.EpollCtl(l.epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
}

func (l *loop) close() {
	for _, w := range l.wires {
		syscall.Close(w.fd)
	}
	syscall.Close(l.epfd)
}

// look reads what has come, and waits for something at most so many nanoseconds.
func (l *loop) look(patience int64) (int, error) {
	n, err := socket.Wait(l.epfd, l.events, patience)
	for _, ev := range l.events[:max(n, 0)] {
		if err == nil {
			err = l.read(l.wires[ev.Fd])
		}
	}
	return n, err
}

func (l *loop) read(w *wire) error {
	at := copy(l.input, w.rest)
	n, e := socket.Read(w.fd, l.input[at:])
	switch {
	case e == syscall.EAGAIN || e == syscall.EINTR:
		return nil
	case e != 0:
		return fmt.Errorf("read: %w", e)
	case n == 0:
		return fmt.Errorf("the server closed the connection of a %T", w.who)
	}
	b := l.input[:at+n]
	used, err := w.who.take(b)
	w.rest = append(w.rest[:0], b[used:]...)
	if err == nil && len(w.rest) > loopInput/2 {
		err = fmt.Errorf("a %T was sent something too long", w.who)
	}
	return err
}
