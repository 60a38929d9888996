//go:build linux

package peers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// patience is how long an answer may take.
const patience = 2 * time.Minute

// A wire is a connection with buffers. What is written goes out with flush.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

func open(addr string) (*wire, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return newWire(c), nil
}

func newWire(c net.Conn) *wire { return &wire{conn: c, in: bufio.NewReaderSize(c, 32<<10)} }

func (w *wire) close() { w.conn.Close() }

func (w *wire) flush() error {
	if err := w.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := w.conn.Write(w.out)
	w.out = w.out[:0]
	return err
}

func (w *wire) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

// line reads a line, without its end; it is good until the next read.
func (w *wire) line() ([]byte, error) {
	b, err := w.in.ReadSlice('\n')
	return bytes.TrimRight(b, "\r\n"), err
}

// body reads so many bytes, and the line's end behind them.
func (w *wire) body(n int) ([]byte, error) {
	b := make([]byte, n+2)
	_, err := io.ReadFull(w.in, b)
	return b[:n], err
}

// expect reads a line that begins with a word.
func (w *wire) expect(word string) ([]byte, error) {
	line, err := w.line()
	if err == nil && !bytes.HasPrefix(line, []byte(word)) {
		err = fmt.Errorf("answered %.200q, want %s", line, word)
	}
	return line, err
}

// last is the number at the end of a line.
func last(line []byte) (int, error) {
	return strconv.Atoi(string(line[bytes.LastIndexByte(line, ' ')+1:]))
}
