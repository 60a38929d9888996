package beanstalk

import (
	"strings"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/shard/queue"
)

// What goes into the audit log: commands that rules have refused and, with or without rules,
// those that intervene in the work of others (pauses, kicks, deletes of jobs that nobody held).

// verbNames are the commands as people write them.
var verbNames = func() (names [verbCount]string) {
	for _, t := range tokens {
		names[t.verb] = strings.TrimSpace(t.text)
	}
	return names
}()

// tubeOf is the tube that a command is about: the one that it names, or the one in use.
func (c *Conn) tubeOf(v verb, name []byte) string {
	switch v {
	case verbUse, verbWatch, verbStatsTube, verbPauseTube:
		return string(name)
	case verbPut, verbPeekReady, verbPeekDelayed, verbPeekBuried, verbKick:
		return c.session.Used()
	}
	return ""
}

// noteDenied counts a command that the rules have refused, and tells the audit log.
func (c *Conn) noteDenied(v verb, tube string, id uint64) {
	c.loop.countDenied(v)
	if c.loop.server.audit != nil {
		c.tell(audit.Event{What: verbNames[v], Tube: tube, ID: id, Refused: true})
	}
}

// noteDone tells the audit log of a command that was carried out, if it intervenes in the work
// of others.
func (c *Conn) noteDone(v verb, op *queue.Op) {
	switch {
	case v == verbPauseTube:
		c.tell(audit.Event{What: verbNames[v], Tube: op.Tube})
	case v == verbKick && op.Count > 0:
		c.tell(audit.Event{What: verbNames[v], Tube: c.session.Used()})
	case v == verbKickJob, v == verbDelete && op.Count > 0:
		c.tell(audit.Event{What: verbNames[v], ID: op.ID})
	}
}

func (c *Conn) tell(e audit.Event) {
	e.FrontEnd, e.From = "beanstalk", conn.PeerOf(c.fd).String()
	if c.guard != nil {
		e.Who = c.guard.subject.Who()
	}
	c.loop.server.audit.Tell(e)
}
