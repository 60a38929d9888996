package talk

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/socket"
)

// A Client has a conversation with a server: for the work around a load, and for
// disturbances.
type Client struct {
	*client.Client
	piece int // of a stream
}

const (
	// StreamPiece is what goes out in one write while nobody else needs the processor.
	StreamPiece = 64 << 10
	// replyPatience is longer than any reply takes, but to a reserve.
	replyPatience = time.Hour
)

// Dial connects for what may wait.
func Dial(ctx context.Context, addr string) (Client, error) {
	return DialSide(addr, &socket.Turn{Context: ctx}, StreamPiece)
}

// DialSide connects for what shares the processor: so many bytes are read or written
// before others have their turn.
func DialSide(addr string, turn *socket.Turn, piece int) (Client, error) {
	s, err := socket.DialSide(addr, turn, piece)
	if err != nil {
		return Client{}, err
	}
	return NewClient(s, piece), nil
}

// NewClient talks on a connection.
func NewClient(c net.Conn, piece int) Client {
	return Client{client.On(c, "the server", replyPatience), piece}
}

// Answered says that a reply is wrong.
func Answered(command string, r client.Reply) error {
	return fmt.Errorf("%s was answered %.80q", command, r.Line)
}

// Close may be called again.
func (c Client) Close() {
	if c.Client != nil {
		c.HangUp()
	}
}

// Say sends one command, whose reply is want. If want ends with a space, the reply goes on
// after that.
func (c Client) Say(command, want string) error {
	if err := c.Tell(command); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return c.Expect(command, want)
}

// Tell sends one command, and its body.
func (c Client) Tell(command string) error { return c.Send([]byte(command + "\r\n")) }

// Expect reads the reply to a command that was sent.
func (c Client) Expect(command, want string) error {
	r, err := c.Next()
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	if r.Line == want || strings.HasSuffix(want, " ") && strings.HasPrefix(r.Line, want) {
		return nil
	}
	return fmt.Errorf("%w, want %s", Answered(command, r), want)
}

// MoveTo has the client use and watch one tube alone.
func (c Client) MoveTo(tube string) error {
	for _, say := range [][2]string{
		{"use " + tube, "USING " + tube}, {"watch " + tube, "WATCHING "}, {"ignore default", "WATCHING "},
	} {
		if err := c.Say(say[0], say[1]); err != nil {
			return err
		}
	}
	return nil
}

// Stream sends n commands, and hands over the reply to each. Two pieces of them
// are under way at a time, so that the server always has something to do.
func (c Client) Stream(n int, command func(b []byte, i int) []byte, reply func(client.Reply) error) error {
	buf := make([]byte, 0, 2*c.piece)
	for sent, done := 0, 0; done < n; {
		until := sent
		for buf = buf[:0]; len(buf) < c.piece && sent < n; sent++ {
			buf = command(buf, sent)
		}
		if err := c.Send(buf); err != nil {
			return err
		}
		if sent == n {
			until = n
		}
		for ; done < until; done++ {
			r, err := c.Next()
			if err == nil {
				err = reply(r)
			}
			if err != nil {
				return fmt.Errorf("command %d of %d: %w", done+1, n, err)
			}
		}
	}
	return nil
}
