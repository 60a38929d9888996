package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Client is a connection to a server. One goroutine may use it at a time.
type Client struct {
	server string
	conn   patient
	r      *bufio.Reader
	w      *bufio.Writer
	err    error // why it cannot be used any more
	last   asked
	added  map[string]bool // see Added; nil: not known yet
}

// Lost is why a connection cannot be used any more. What became of commands without a reply is
// not known.
type Lost struct {
	why string
	err error
}

func (e *Lost) Error() string { return e.why }
func (e *Lost) Unwrap() error { return e.err }

// goodbye is how long Close waits for the server.
const goodbye = time.Second

// Close ends the connection. The server releases what the connection has reserved, and has
// done so when Close returns, unless it is slow to end the connection. People who run one
// command after another expect that.
func (c *Client) Close() error {
	c.conn.limit = min(c.conn.limit, goodbye)
	if c.send("quit", nil) == nil && c.w.Flush() == nil {
		_, _ = io.Copy(io.Discard, c.r) // until the end, or an error: both will do
	}
	return c.conn.Close()
}

// HangUp ends the connection without a word to the server.
func (c *Client) HangUp() error { return c.conn.Close() }

// Hurry gives the server so long for everything that is still to come, unless it has less already. Any
// goroutine may call it.
func (c *Client) Hurry(limit time.Duration) { c.conn.hurry(limit) }

// Calm takes back what Hurry has said, which has done no harm if Err is nil.
func (c *Client) Calm() { c.conn.calm() }

// Err is why the connection cannot be used any more; nil if it can.
func (c *Client) Err() error { return c.err }

// Ask sends a command and returns its reply.
func (c *Client) Ask(command string) (Reply, error) {
	if err := c.send(command, nil); err != nil {
		return Reply{}, err
	}
	return c.receive()
}

// Askf is Ask with a command that is made of parts.
func (c *Client) Askf(format string, parts ...any) (Reply, error) {
	return c.Ask(fmt.Sprintf(format, parts...))
}

// Get is Askf for a command with one good answer: it takes no other.
func (c *Client) Get(want, format string, parts ...any) (Reply, error) {
	r, err := c.Askf(format, parts...)
	if err == nil {
		err = r.Want(want)
	}
	return r, err
}

// AskWithin is Ask for a command that the server may answer so much later.
func (c *Client) AskWithin(later time.Duration, command string) (Reply, error) {
	c.conn.limit += later
	defer func() { c.conn.limit -= later }()
	return c.Ask(command)
}

// AskUntil is AskWithin for a command that waits, such as a reserve, with its body if it has one. When the context
// ends, the wait is called off. AskUntil returns the reply to the command when the reply to the call-off has come, too:
// the command may have succeeded all the same. The server must have call-off.
func (c *Client) AskUntil(ctx context.Context, later time.Duration, command string, body *[]byte) (Reply, error) {
	err := c.send(command, body)
	if err == nil {
		err = c.lost(c.w.Flush())
	}
	if err != nil {
		return Reply{}, err
	}
	c.conn.limit += later
	defer func() { c.conn.limit -= later }()
	called := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { // while this goroutine only reads
		_, err := c.conn.Write([]byte("call-off\r\n"))
		called <- err
	})
	r, err := c.Next()
	if stop() {
		return r, err
	}
	if failed := <-called; err != nil || failed != nil {
		return r, cmp.Or(err, c.lost(failed))
	}
	off, err := c.Next()
	if err == nil && off.Word != "CALLED_OFF" {
		err = c.lost(fmt.Errorf("%w: %.60q", errStranger, off.Line))
	}
	return r, err
}

// Put is Ask for a command that has a body.
func (c *Client) Put(command string, body []byte) (Reply, error) {
	if err := c.send(command, &body); err != nil {
		return Reply{}, err
	}
	return c.receive()
}

// PutWithin is Put for a command that the server may answer so much later.
func (c *Client) PutWithin(later time.Duration, command string, body []byte) (Reply, error) {
	c.conn.limit += later
	defer func() { c.conn.limit -= later }()
	return c.Put(command, body)
}

// Send sends bytes as they are, at once. Nothing looks for line ends in them (CL2): it is
// for those who test a server.
func (c *Client) Send(data []byte) error {
	_, err := c.w.Write(data)
	if err == nil {
		err = c.w.Flush()
	}
	return c.lost(err)
}

// Next reads a reply to what Send has sent. Also after a Send that has failed, a part may
// be answered.
func (c *Client) Next() (Reply, error) {
	r, err := readReply(c.r)
	return r, c.lost(err)
}

// atOnce is how many commands of Exchange are sent before their replies are read.
const atOnce = 32

// Exchange sends commands as Send does, each with its body if it has one, and returns a
// reply for each. Neither has the last CRLF.
func (c *Client) Exchange(commands ...string) (replies []Reply, err error) {
	for some := range slices.Chunk(commands, atOnce) {
		if err := c.Send([]byte(strings.Join(some, "\r\n") + "\r\n")); err != nil {
			return replies, err
		}
		for range some {
			r, err := c.Next()
			if err != nil {
				return replies, err
			}
			replies = append(replies, r)
		}
	}
	return replies, nil
}

// send buffers a command. A body follows the line if there is one, even an empty one.
func (c *Client) send(command string, body *[]byte) error {
	if strings.ContainsAny(command, "\r\n\x00") {
		return fmt.Errorf("%q is not a command: it has a line end in it", command) // CL2
	}
	_, err := c.w.WriteString(command + "\r\n")
	if err == nil && body != nil {
		_, err = c.w.Write(*body)
		if err == nil {
			_, err = c.w.WriteString("\r\n")
		}
	}
	c.last.command = command
	if tube, ok := strings.CutPrefix(command, "use "); ok {
		c.last.used = tube
	}
	return c.lost(err)
}

// receive sends what is buffered and reads one reply.
func (c *Client) receive() (Reply, error) {
	if err := c.w.Flush(); err != nil {
		return Reply{}, c.lost(err)
	}
	r, err := c.Next()
	r.to = c.last
	return r, err
}

// lost says in words why a connection cannot be used any more.
func (c *Client) lost(err error) error {
	if err == nil {
		return nil
	}
	lost := &Lost{fmt.Sprintf("%s: %v", c.server, err), err}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && c.conn.hurried():
		lost.why = fmt.Sprintf("a call to %s was ended before its answer came", c.server)
	case errors.Is(err, os.ErrDeadlineExceeded):
		lost.why = fmt.Sprintf("no answer from %s within %v", c.server, c.conn.limit)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		lost.why = fmt.Sprintf("%s has closed the connection", c.server)
	}
	c.err = lost
	return lost
}
