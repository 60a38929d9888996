package stalls

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"

	"beanfield/tools/bench/socket"
)

// A wire is a connection that never blocks, for use beside the neighbour.
type wire struct {
	fd int
	in []byte
}

func dialWire(addr string) (*wire, error) {
	fd, err := socket.Dial(addr)
	if err != nil {
		return nil, err
	}
	w := &wire{fd: fd}
	return w, w.unblock()
}

// unblock makes the socket one that never blocks. When that fails, the wire is closed.
func (w *wire) unblock() error {
	err := syscall.SetNonblock(w.fd, true)
	if err != nil {
		w.close()
	}
	return err
}

// close may be called again, and of a wire that was never dialled.
func (w *wire) close() {
	if w != nil && w.fd >= 0 {
		syscall.Close(w.fd)
		w.fd = -1
	}
}

// send sends a short command, which an idle socket takes whole.
func (w *wire) send(line string) error {
	b := []byte(line + "\r\n")
	if n, e := socket.Write(w.fd, b); e != 0 || n < len(b) {
		return fmt.Errorf("%s: %d of %d bytes were sent: %w", line, n, len(b), e)
	}
	return nil
}

// write sends what the socket takes of b.
func (w *wire) write(b []byte) (int, error) {
	n, e := socket.Write(w.fd, b)
	if e == syscall.EAGAIN || e == syscall.EINTR {
		return 0, nil
	}
	if e != 0 {
		return 0, fmt.Errorf("write: %w", e)
	}
	return n, nil
}

// read reads what has arrived: 0 bytes is nothing yet.
func (w *wire) read(b []byte) (int, error) {
	n, e := socket.Read(w.fd, b)
	if e == syscall.EAGAIN || e == syscall.EINTR {
		return 0, nil
	}
	if e != 0 {
		return 0, fmt.Errorf("read: %w", e)
	}
	if n == 0 {
		return 0, errors.New("the server closed the connection")
	}
	return n, nil
}

// fill adds what has arrived to what is there.
func (w *wire) fill() error {
	var b [4096]byte
	n, err := w.read(b[:])
	w.in = append(w.in, b[:n]...)
	return err
}

// line takes a whole line, without its end, if it has arrived.
func (w *wire) line() (string, bool, error) {
	if err := w.fill(); err != nil {
		return "", false, err
	}
	line, rest, ok := bytes.Cut(w.in, []byte("\r\n"))
	if !ok {
		return "", false, nil
	}
	s := string(line)
	w.in = w.in[:copy(w.in, rest)]
	return s, true, nil
}
