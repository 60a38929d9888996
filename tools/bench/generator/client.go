package generator

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"beanfield/tools/bench/socket"
)

// A Client has a conversation with a server, one command after another: for the work around
// a load, and for disturbances.
type Client struct {
	c     io.ReadWriter
	r     *bufio.Reader
	piece int
}

// streamPiece is what goes out in one write while nobody else needs the processor.
const streamPiece = 64 << 10

// Dial connects for what may wait.
func Dial(ctx context.Context, addr string) (*Client, error) {
	return DialSide(addr, &socket.Turn{Context: ctx}, streamPiece)
}

// DialSide connects for what shares the processor: so many bytes are read or written
// before others have their turn.
func DialSide(addr string, turn *socket.Turn, piece int) (*Client, error) {
	s, err := socket.DialSide(addr, turn)
	if err != nil {
		return nil, err
	}
	return NewClient(s, piece), nil
}

// NewClient talks on a connection.
func NewClient(c io.ReadWriter, piece int) *Client {
	return &Client{c, bufio.NewReaderSize(c, piece), piece}
}

// Close may be called again.
func (c *Client) Close() {
	if closer, ok := c.c.(io.Closer); ok {
		closer.Close()
	}
}

// Read fills b.
func (c *Client) Read(b []byte) error {
	_, err := io.ReadFull(c.r, b)
	return err
}

func (c *Client) Write(b []byte) error {
	_, err := c.c.Write(b)
	return err
}

// Whole has take look at what has come, again and again, until it takes something.
func (c *Client) Whole(take func(b []byte) (int, error)) error {
	for {
		b, _ := c.r.Peek(c.r.Buffered())
		n, err := take(b)
		if n > 0 || err != nil {
			c.r.Discard(n)
			return err
		}
		if _, err := c.r.Peek(len(b) + 1); err != nil {
			return err
		}
	}
}

// Send sends one command.
func (c *Client) Send(command string) error { return c.Write([]byte(command + "\r\n")) }

// Line is the next line without its end. It is good until the next read.
func (c *Client) Line() ([]byte, error) {
	s, err := c.r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(s) < 2 || s[len(s)-2] != '\r' {
		return nil, fmt.Errorf("a line that does not end in CRLF: %.80q", s)
	}
	return s[:len(s)-2], nil
}

// Ask sends one command and reads the first line of its reply. If want ends with a space,
// the reply goes on after that.
func (c *Client) Ask(command, want string) error {
	if err := c.Send(command); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return c.Answer(command, want)
}

// Answer reads the first line of the reply to a command that was sent.
func (c *Client) Answer(command, want string) error {
	line, err := c.Line()
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	if string(line) == want || strings.HasSuffix(want, " ") && strings.HasPrefix(string(line), want) {
		return nil
	}
	return fmt.Errorf("%s was answered %.80q, want %s", command, line, want)
}

// MoveTo has the client use and watch one tube alone.
func (c *Client) MoveTo(tube string) error {
	for _, say := range [][2]string{
		{"use " + tube, "USING " + tube}, {"watch " + tube, "WATCHING "}, {"ignore default", "WATCHING "},
	} {
		if err := c.Ask(say[0], say[1]); err != nil {
			return err
		}
	}
	return nil
}

// Stream sends n commands, and hands over the first line of each reply. Two pieces of them
// are under way at a time, so that the server always has something to do.
func (c *Client) Stream(n int, command func(b []byte, i int) []byte, reply func(line []byte) error) error {
	buf := make([]byte, 0, 2*c.piece)
	for sent, done := 0, 0; done < n; {
		until := sent
		for buf = buf[:0]; len(buf) < c.piece && sent < n; sent++ {
			buf = command(buf, sent)
		}
		if err := c.Write(buf); err != nil {
			return err
		}
		if sent == n {
			until = n
		}
		for ; done < until; done++ {
			line, err := c.Line()
			if err == nil {
				err = reply(line)
			}
			if err != nil {
				return fmt.Errorf("command %d of %d: %w", done+1, n, err)
			}
		}
	}
	return nil
}

// MaxStats bounds the size of a reply to stats.
const MaxStats = 1 << 20

// Text is the reply to any command that is answered like stats.
func (c *Client) Text(command string, most int) ([]byte, error) {
	if err := c.Send(command); err != nil {
		return nil, err
	}
	line, err := c.Line()
	if err != nil {
		return nil, err
	}
	size, ok := After(line, "OK ")
	if !ok || size > uint64(most) {
		return nil, fmt.Errorf("%s was answered %.80q", command, line)
	}
	text := make([]byte, size+2)
	return text[:size], c.Read(text)
}

// Stats reads the numbers of the server's stats reply.
func (c *Client) Stats() (map[string]int64, error) { return c.Numbers("stats") }

// Numbers leaves out every line whose value is not a number.
func (c *Client) Numbers(command string) (map[string]int64, error) {
	text, err := c.Text(command, MaxStats)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int64{}
	for l := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			numbers[key] = n
		}
	}
	return numbers, nil
}

// After reads the number that follows a word, if there is nothing else.
func After(line []byte, word string) (uint64, bool) {
	if len(line) <= len(word) || string(line[:len(word)]) != word {
		return 0, false
	}
	return decimal(line[len(word):])
}

// Reserved reads the first line of a job that was handed out.
func Reserved(line []byte) (id uint64, size int, err error) {
	r := Reply{line: line}
	if len(line) <= len("RESERVED ") || string(line[:len("RESERVED ")]) != "RESERVED " {
		return 0, 0, fmt.Errorf("reserve was answered %.80q", line)
	}
	return r.head(line[len("RESERVED "):])
}

// Job reads a job that was handed out. Its body is good until the next read.
func (c *Client) Job() (id uint64, body []byte, err error) {
	err = c.Whole(func(b []byte) (int, error) {
		var r Reply
		n, err := r.Parse(b)
		if n > 0 && r.Word != wordReserved {
			err = fmt.Errorf("reserve was answered %.80q", r.line)
		}
		id, body = r.ID, r.Body
		return n, err
	})
	return id, body, err
}
