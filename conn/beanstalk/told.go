package beanstalk

import (
	"fmt"
	"strconv"
	"time"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// What goes into the audit log: commands that rules have refused and, with or without rules,
// those that intervene in the work of others (pauses, kicks, deletes of jobs that nobody held, truncates, moves,
// changes of jobs and of policies).

// tubeOf is the tube that a command is about: the one that it names, or the one in use.
func (c *Conn) tubeOf(v protocol.Verb, named string) string {
	switch commands[v].on {
	case onTube:
		return named
	case onUsed:
		return c.session.Used()
	}
	return ""
}

// noteDenied counts a command that the rules have refused, and tells the audit log. line is nil for the one that is
// being run.
func (c *Conn) noteDenied(v protocol.Verb, tube string, id uint64, why slow.Reason, line []byte) {
	c.loop.countDenied(v)
	c.tellRefused(why, line)
	if c.loop.server.audit != nil {
		c.tell(audit.Event{What: commands[v].name, Tube: tube, ID: id, Refused: true})
	}
}

// noteDone tells the audit log of a command that was carried out, if it intervenes in the work
// of others.
func (c *Conn) noteDone(row *command, op *queue.Op) {
	if row.audit == 0 || row.audit == auditCounted && op.Count == 0 && !op.Unheld {
		return
	}
	e := audit.Event{What: row.name}
	switch row.on {
	case onTube:
		e.Tube = op.Tube
	case onUsed:
		e.Tube = c.session.Used()
	case onJob:
		e.ID = op.ID
	}
	c.tell(e)
}

func (c *Conn) tell(e audit.Event) { c.loop.server.audit.Tell(c.signed(e)) }

// signed says who the client is.
func (c *Conn) signed(e audit.Event) audit.Event {
	e.FrontEnd, e.From = "beanstalk", conn.PeerOf(c.fd).String()
	if c.guard != nil {
		e.Who = c.guard.subject.Who()
	}
	return e
}

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
