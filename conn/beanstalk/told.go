package beanstalk

import (
	"fmt"
	"strconv"
	"time"

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
	e.FrontEnd, e.From = "beanstalk", c.Peer().String()
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
	l.Effort -= effortAlone
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

// Commands that take longer than the log of slow commands wants are told to it. That must cost
// the others nearly nothing, so the clock is not read for each command:
//
//   - A run that is not answered at once, because its shard is busy or its turn is to be
//     committed, has its time taken: when it has been submitted, and when it is answered. The
//     same goes for a call of the session. Handing it over costs a hundred times as much.
//   - A run that is answered at once can only have been slow in its own turn. The shard has
//     read the clock at the beginning of that turn. The loop compares it with the next time that
//     it learns: from its next run, or at the end of its round.
//
// A reserve is not slow because it waits: the wait is in neither of these times.

// slowFrom is the time from which on a command is slow, in nanoseconds; 0 if none is.
func (l *loop) slowFrom() int64 { return int64(l.server.slow.Bound()) }

// timeRun finds out whether the commands of a run that is about to be answered were slow.
func (c *Conn) timeRun(r *run, bound int64) {
	l, came, began := c.loop, r.came, r.Began
	if r.came = 0; came == 0 {
		l.learn(began)
		i := r.answered
		l.latest = latest{c, began, r.verbs[i], r.Next - i, c.tubeOfOp(r, i), r.Ops[i].ID}
		return
	}
	now := l.server.router.Now()
	l.learn(now)
	if began == 0 {
		began = now // it has never been run
	}
	if now-min(came, began) <= bound {
		return
	}
	ended := r.Ended
	if ended == 0 {
		ended = now
	}
	for i := r.answered; i < r.Next; {
		told := c.describe(r, i)
		i += told.Count
		told.Turn, told.Ran, told.Disk = time.Duration(max(0, began-came)), time.Duration(ended-began),
			time.Duration(now-ended)
		c.tellSlow(told, now)
	}
}

// describe says what the commands of a run are, from one on, that are of one kind and about one
// tube.
func (c *Conn) describe(r *run, from int) (told slow.Command) {
	v, tube := r.verbs[from], c.tubeOfOp(r, from)
	told = slow.Command{Verb: commands[v].name, Tube: tube, Count: 1}
	for i := from + 1; i < r.Next && r.verbs[i] == v && c.tubeOfOp(r, i) == tube; i++ {
		told.Count++
	}
	if told.Count == 1 {
		told.ID = r.Ops[from].ID
	}
	return told
}

// tubeOfOp is the tube that an operation was about, or "".
func (c *Conn) tubeOfOp(r *run, i int) string {
	if commands[r.verbs[i]].on == onUsed {
		return c.session.Used()
	}
	return r.Ops[i].Tube
}

// learn notes what time it is, and tells of the latest run if it has taken long.
func (l *loop) learn(now int64) {
	c := l.latest.conn
	if l.latest.conn = nil; c == nil || now-l.latest.at <= l.slowFrom() || l.slowFrom() == 0 {
		return
	}
	was := &l.latest
	c.tellSlow(slow.Command{Verb: commands[was.verb].name, Tube: was.tube, ID: was.id, Count: was.count,
		Ran: time.Duration(now - was.at)}, now)
}

// endRound tells of the last run of a round that was answered at once.
func (l *loop) endRound() {
	if l.latest.conn != nil {
		l.learn(l.server.router.Now())
	}
}

// begun notes that a call is under way.
func (c *Conn) begun() {
	if c.loop.slowFrom() > 0 {
		c.came = c.loop.server.router.Now()
	}
}

// timeCall finds out whether a session's call that has ended was slow.
func (c *Conn) timeCall(k call, came int64) {
	v, bound := c.verb, c.loop.slowFrom()
	switch k {
	case callSession:
	case callReserve, callEndWait:
		v = verbReserve
	default:
		return
	}
	if bound == 0 {
		return
	}
	now := c.loop.server.router.Now()
	if now-came <= bound {
		return
	}
	began, ended := c.session.Times()
	began = min(max(began, came), now)
	ended = min(max(ended, began), now)
	if ended == began {
		ended = now
	}
	told := slow.Command{Verb: commands[v].name, Count: 1, Turn: time.Duration(began - came),
		Ran: time.Duration(ended - began), Disk: time.Duration(now - ended)}
	if v == verbUse {
		told.Tube = c.session.Used()
	}
	c.tellSlow(told, now)
}

// tellSlow tells of a command that was answered now.
func (c *Conn) tellSlow(told slow.Command, now int64) {
	took := told.Took()
	told.At = time.Now().Add(-took - time.Duration(c.loop.server.router.Now()-now))
	told.FrontEnd, told.Client = "beanstalk", c.Peer().String()
	if c.guard != nil {
		told.Who = c.guard.subject.Who()
	}
	c.loop.server.slow.Tell(told)
}
