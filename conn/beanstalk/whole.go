package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
)

// A command may have a body that is no job's, but says what the command is to do. It is run when all
// of its body is there, and before that nobody knows whether there is anything wrong in it. The line
// says how long the body is, so whatever is wrong with either, the connection stays in step.

// beginWhole accepts or refuses the line. It reports false when the line has to be tried again,
// because the commands before it must be answered first.
func (c *Conn) beginWhole(cmd *protocol.Command, data []byte) (rest []byte, ok bool) {
	if !c.flush() {
		return data, false
	}
	w, size := commands[cmd.Verb].whole, int(cmd.Size)
	p := incoming{verb: cmd.Verb, pri: cmd.Pri, delay: cmd.Delay, size: size, options: exactly(cmd)}
	c.loop.count(cmd.Verb)
	switch {
	case !protocol.Read(cmd.Options, w.options, &p):
		c.skip = skipper{bytes: int64(size) + 2, word: protocol.BadFormat}
		c.tellRefused(slow.Option, nil)
	case c.guard != nil && !c.allowed(cmd):
		c.noteDenied(p.verb, "", 0, slow.Right, nil)
		c.skip.refused(int64(size)+2, p.verb)
	case size > w.most:
		c.skip = skipper{bytes: int64(size) + 2, word: w.tooLong}
		c.tellRefused(slow.TooBig, nil)
	case len(data) < size+2:
		c.gather(&p)
	case string(data[size:size+2]) != protocol.CRLF:
		c.refuse(protocol.ExpectedCRLF, slow.NoCRLF, nil)
		return data[size+2:], true
	default:
		c.takeWhole(&p, data[:size])
		return data[size+2:], true
	}
	return data, true
}

// takeWhole runs the command.
func (c *Conn) takeWhole(p *incoming, body []byte) {
	c.loop.effort -= effortAlone - 1
	c.verb = p.verb
	commands[p.verb].whole.take(c, p, body)
}

// joinKeep is how large a buffer for joined bodies a loop keeps.
const joinKeep = 128 << 10

// join is a body that has come in parts, in the loop's memory (B3).
func (l *loop) join(p *incoming) []byte {
	if len(p.parts) == 1 {
		return p.parts[0]
	}
	whole := l.joined[:0]
	if cap(whole) < p.size {
		whole = make([]byte, 0, p.size)
	}
	for _, part := range p.parts {
		whole = append(whole, part...)
	}
	if l.joined = nil; cap(whole) <= joinKeep {
		l.joined = whole
	}
	return whole
}
