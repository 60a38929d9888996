package client

import "iter"

// Pipe sends many commands before it reads their replies. Replies are read when there are
// maxWaiting of them, or maxBuffered bytes of commands: few enough that neither side fills
// the other's socket while both write.
type Pipe struct {
	c   *Client
	got func(Reply) error
	// Waits, if it is set, is called before the pipe waits for replies: all those that are
	// there have been handed out.
	Waits   func()
	waiting []asked
	size    int
}

const (
	maxWaiting  = 500
	maxBuffered = 256 << 10
)

// Pipe returns a pipe that hands each reply, in the order of the commands (CL1), to got. An
// error of got ends the pipe.
func (c *Client) Pipe(got func(Reply) error) *Pipe { return &Pipe{c: c, got: got} }

// Each sends commands through a Pipe, and hands on the reply to each, with its number.
func (c *Client) Each(commands iter.Seq[string], got func(i int, r Reply) error) error {
	n := -1
	pipe := c.Pipe(func(r Reply) error {
		n++
		return got(n, r)
	})
	for command := range commands {
		if err := pipe.Send(command); err != nil {
			return err
		}
	}
	return pipe.Flush()
}

// Send adds a command.
func (p *Pipe) Send(command string) error { return p.add(command, nil) }

// Put adds a command with a body.
func (p *Pipe) Put(command string, body []byte) error { return p.add(command, &body) }

func (p *Pipe) add(command string, body *[]byte) error {
	if err := p.c.send(command, body); err != nil {
		return err
	}
	p.waiting = append(p.waiting, p.c.last)
	p.size += len(command)
	if body != nil {
		p.size += len(*body)
	}
	if len(p.waiting) < maxWaiting && p.size < maxBuffered {
		return nil
	}
	return p.Flush()
}

// Flush sends what is left and reads all replies.
func (p *Pipe) Flush() error {
	p.size = 0
	all := p.waiting
	p.waiting = all[:0]
	for _, to := range all {
		if p.Waits != nil && p.c.r.Buffered() == 0 {
			p.Waits()
		}
		r, err := p.c.receive()
		if r.to = to; err == nil {
			err = p.got(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
