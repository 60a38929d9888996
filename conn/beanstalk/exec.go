package beanstalk

import (
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// process parses and runs commands from data until it ends or the connection
// cannot go on, and saves the rest.
func (c *Conn) process(data []byte) {
	// Once for all that has come together: looking before each command cost pipelined ones
	// several percent of their time.
	if len(data) > 0 && c.ready() && c.outdated() {
		c.applyRules()
	}
	for len(data) > 0 && c.ready() && c.loop.Effort > 0 {
		c.loop.Effort--
		if len(c.loop.Out) >= event.SendAt {
			c.Send()
			continue
		}
		if c.skip.on() {
			data = c.skipSome(data)
			continue
		}
		if c.put != nil {
			var more bool
			if data, more = c.gatherMore(data); !more {
				break
			}
			continue
		}
		line, rest, state := protocol.NextLine(data)
		if (c.fresh || state != protocol.Complete || data[0]|0x20 == 'h') && c.foreign(data, line, state) {
			break // no command begins with an h
		}
		if state == protocol.Incomplete {
			break
		}
		if state == protocol.TooLong {
			data = c.skipLine(data)
			continue
		}
		c.fresh = false
		cmd, ok := &c.loop.command, false
		*cmd = grammar.Parse(line)
		if commands[cmd.Verb].hasBody && cmd.Word == "" {
			rest, ok = c.beginBody(cmd, rest)
		} else {
			ok = c.execute(cmd)
		}
		if c.loop.untold != nil {
			c.loop.tellLine(line)
		}
		if !ok {
			continue // it is parsed again, now or when the way is free
		}
		data = rest
	}
	c.leave(data)
}

// leave flushes what has been answered, and saves what has not been read.
func (c *Conn) leave(data []byte) {
	switch {
	case c.ready():
		if len(data) > 0 && c.loop.Effort <= 0 {
			c.Notify() // others first, then this one again
		}
		c.flush()
	case c.run != nil && c.call == callNone:
		c.run.Retain() // it waits for the way to be free, without the buffer
	}
	if !c.Closed() {
		c.Save(data)
	}
}

// execute runs one command, or puts it into the run. It reports false when
// the command has to be tried again because the run before it must be
// answered first.
func (c *Conn) execute(cmd *protocol.Command) bool {
	row := &commands[cmd.Verb]
	switch {
	case row.login && !c.login:
		return c.reject(cmd.Verb, protocol.UnknownCommand, false, slow.Unknown)
	case cmd.Word != "":
		why := slow.Malformed
		if cmd.Word == protocol.UnknownCommand {
			why = slow.Unknown
		}
		return c.reject(cmd.Verb, cmd.Word, cmd.Counts, why)
	case c.guard != nil && !c.allowed(cmd.Verb, string(cmd.Name)):
		return c.deny(cmd.Verb, string(cmd.Name), slow.Right)
	case row.run != nil:
		return row.run(c, cmd)
	case row.alone == nil:
		return c.runInShard(cmd)
	case !c.begins(cmd.Verb):
		return false
	}
	row.alone(c, cmd)
	return true
}

// counted counts a command when those before it have been answered: otherwise it reports false.
func (c *Conn) counted(v protocol.Verb) bool {
	if !c.flush() {
		return false
	}
	c.loop.count(v)
	return true
}

// begins does so for a command that concerns the session or all shards.
func (c *Conn) begins(v protocol.Verb) bool {
	if !c.counted(v) {
		return false
	}
	c.loop.Effort -= effortAlone - 1
	c.verb = v
	return true
}

// reject answers a line that is no command.
func (c *Conn) reject(v protocol.Verb, w protocol.Word, counts bool, why slow.Reason) bool {
	if !c.flush() {
		return false
	}
	if counts {
		c.loop.count(v)
	}
	c.refuse(w, why, nil)
	return true
}

// runInShard adds a command that one shard answers to the run.
func (c *Conn) runInShard(cmd *protocol.Command) bool {
	i, row := c.session.UsedShard(), &commands[cmd.Verb]
	switch row.on {
	case onJob:
		// That there is no such job is an answer too: a shard gives it, because its log knows whether any may leave.
		// If the id is that of a put which is still in the run, that is the shard.
		if owner, ok := c.loop.server.router.Owner(cmd.ID); ok {
			i = owner
		}
	case onTube:
		i = c.loop.server.router.TubeShard(cmd.Name)
	}
	op := c.opFor(i, cmd.Verb)
	if op == nil {
		c.flush()
		return false
	}
	op.ID, op.Pri, op.Delay, op.Data = cmd.ID, cmd.Pri, cmd.Delay, cmd.Name
	if op.Kind == queue.Truncate {
		op.States = queue.States(cmd.N)
	} else {
		op.Limit = cmd.N
	}
	c.run.member = c.run.member || row.on == onUsed || row.role == worker
	return true
}

func (c *Conn) use(cmd *protocol.Command) {
	c.finish(callSession, c.session.Use(cmd.Name))
	if g := c.guard; g != nil {
		g.used = g.subject.May(c.session.Used())
	}
}

func (c *Conn) watch(cmd *protocol.Command) {
	c.finish(callSession, c.session.Watch(cmd.Name))
}

func (c *Conn) ignore(cmd *protocol.Command) {
	done, refused := c.session.Ignore(cmd.Name)
	if refused {
		c.loop.refuse(protocol.NotIgnored)
	} else {
		c.finish(callSession, done)
	}
}

func (c *Conn) stats(*protocol.Command) {
	c.finish(callSession, c.session.CountAll(c.guard.authorizerOfStats()))
}

func (c *Conn) listUsed(*protocol.Command) {
	c.sayUsing()
}

func (c *Conn) listWatched(*protocol.Command) {
	c.list(c.session.Watched())
}

func (c *Conn) listTubes(*protocol.Command) {
	c.listSeen(c.loop.server.router.TubeNames())
}

// capabilities lists the other commands that beanstalkd does not have, but for auth.
func (c *Conn) capabilities(*protocol.Command) {
	c.loop.Out = protocol.AppendYAML(c.loop.Out, func(out []byte) []byte {
		for _, v := range verbs {
			if row := &commands[v]; row.added && !row.login && v != c.verb {
				out = append(out, "- "+row.name+"\n"...)
			}
		}
		return out
	})
}

func (c *Conn) quit(cmd *protocol.Command) bool {
	if !c.begins(cmd.Verb) {
		return false
	}
	if c.Send(); c.Stuck() {
		return false // what has been answered is still to get out
	}
	c.Close()
	return true
}

// answerSession answers a command that the session has run by itself.
func (c *Conn) answerSession() { commands[c.verb].answer(c) }

func (c *Conn) sayUsing() {
	c.loop.Out = append(append(append(c.loop.Out, commands[c.verb].head...), c.session.Used()...), protocol.CRLF...)
}

func (c *Conn) sayWatching() {
	c.loop.Out = protocol.AppendNumber(c.loop.Out, commands[c.verb].head, uint64(c.session.Watching()))
}

func (c *Conn) sayStats() {
	c.loop.Out = c.loop.server.appendStats(c.loop.Out, &c.session, c.guard.seenTubes(c))
	c.session.Trim()
}

// truncateOptions are the options of truncate.
var truncateOptions = []protocol.Option[queue.States]{
	{Name: "state", Set: func(of *queue.States, _, value []byte) bool {
		return protocol.StatesOf(of, value) && !of.Has(queue.Reserved)
	}},
}

// truncate adds a truncate of all jobs, or of those in some states, to the run.
func (c *Conn) truncate(cmd *protocol.Command) bool {
	of := queue.States(cmd.N) // of one that is recalled
	if !protocol.Read(cmd.Options, truncateOptions, &of) {
		return c.reject(cmd.Verb, protocol.BadFormat, false, slow.Option)
	}
	cmd.N = uint32(of)
	return c.runInShard(cmd)
}
