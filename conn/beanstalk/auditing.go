package beanstalk

import (
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
	if row.audit == 0 || row.audit == auditCounted && op.Count == 0 {
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
