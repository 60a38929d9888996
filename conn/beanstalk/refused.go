package beanstalk

import (
	"fmt"
	"strconv"
	"time"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
)

// A word such as BAD_FORMAT does not say what is wrong. So what a client has sent wrong, or may not do, is told to
// the log of refusals with its reason. Answers that are a part of usual work, such as TIMED_OUT, are not told, nor
// are those whose word says all, such as OUT_OF_MEMORY.

// refuse answers a command that is refused.
func (c *Conn) refuse(w protocol.Word, why slow.Reason, line []byte) {
	c.loop.refuse(w)
	c.tellRefused(why, line)
}

// tellRefused tells of a command that is refused, or will be when its body has been thrown away. If line is nil, it is
// the command that is being run, and whoever runs it adds the line. It costs a system call, so it is work like that of
// a command that the session runs.
func (c *Conn) tellRefused(why slow.Reason, line []byte) {
	l := c.loop
	if l.server.slow == nil {
		return
	}
	l.effort -= effortAlone
	l.untold = &slow.Refusal{At: time.Now(), Client: c.Peer().String(), Reason: why}
	if c.guard != nil {
		l.untold.Who = c.guard.subject.Who()
	}
	if line != nil {
		l.tellLine(line)
	}
}

// mostTold is how much of a line is told, in bytes.
const mostTold = 200

// tellLine tells of the refusal whose line this is.
func (l *loop) tellLine(line []byte) {
	l.untold.Line = string(line[:min(len(line), mostTold)])
	l.server.slow.Refuse(*l.untold)
	l.untold = nil
}

// someOf is the line of a command, some of whose jobs were refused.
func someOf(v protocol.Verb, jobs int) []byte {
	return fmt.Appendf(nil, "%s (%d jobs)", commands[v].name, jobs)
}

// line is what is known of the line of a command whose body has arrived.
func (p *incoming) line() []byte { return fmt.Appendf(lineOf(p.verb, p.tube, 0), " (size %d)", p.size) }

// lineOf is what is known of a line that is gone.
func lineOf(v protocol.Verb, tube string, id uint64) []byte {
	line := []byte(commands[v].name)
	if tube != "" {
		line = append(append(line, ' '), tube...)
	}
	if id != 0 {
		line = strconv.AppendUint(append(line, ' '), id, 10)
	}
	return line
}
