package beanstalk

import "beanfield/shard/queue"

// process parses and runs commands from data until it ends or the connection
// cannot go on, and saves the rest.
func (c *Conn) process(data []byte) {
	// Once for all that has come together: looking before each command cost pipelined ones
	// several percent of their time.
	if len(data) > 0 && c.ready() && c.outdated() {
		c.obey()
	}
	for len(data) > 0 && c.ready() && c.loop.effort > 0 {
		c.loop.effort--
		if len(c.loop.out) >= sendAt {
			c.send()
			continue
		}
		if c.skip.on() {
			data = c.skipSome(data)
			continue
		}
		if c.put != nil {
			var more bool
			if data, more = c.fillPut(data); !more {
				break
			}
			continue
		}
		line, rest, state := nextLine(data)
		if (c.fresh || state != lineComplete || data[0]|0x20 == 'h') && c.foreign(data, line, state) {
			break // no command begins with an h
		}
		if state == lineIncomplete {
			break
		}
		if state == lineTooLong {
			data = c.skipLine(data)
			continue
		}
		c.fresh = false
		cmd, ok := parse(line), false
		if cmd.verb == verbPut && cmd.word == "" {
			rest, ok = c.beginPut(&cmd, rest)
		} else {
			ok = c.execute(&cmd)
		}
		if !ok {
			continue // it is parsed again, now or when the way is free
		}
		data = rest
	}
	switch {
	case c.ready():
		if len(data) > 0 && c.loop.effort <= 0 {
			c.Notify() // others first, then this one again
		}
		c.flush()
	case c.run != nil && c.call == callNone:
		c.run.Retain() // it waits for the way to be free, without the buffer
	}
	if !c.closed {
		c.save(data)
	}
}

// execute runs one command, or puts it into the run. It reports false when
// the command has to be tried again because the run before it must be
// answered first.
func (c *Conn) execute(cmd *command) bool {
	if cmd.verb == verbAuth {
		return c.auth(cmd)
	}
	if c.guard != nil && cmd.word == "" && !c.allowed(cmd) {
		return c.deny(cmd)
	}
	switch cmd.verb {
	case verbReserve, verbReserveTimeout:
		if cmd.word == "" {
			return c.reserve(cmd)
		}
	case verbUse, verbWatch, verbIgnore, verbListTubesWatched, verbListTubeUsed, verbListTubes, verbStats, verbQuit:
		if cmd.word == "" {
			return c.executeAlone(cmd)
		}
	}
	if cmd.word != "" {
		if !c.flush() {
			return false
		}
		if cmd.counts {
			c.loop.count(cmd.verb)
		}
		c.loop.refuse(cmd.word)
		return true
	}
	return c.executeInRun(cmd)
}

// executeInRun adds a command that one shard answers to the run.
func (c *Conn) executeInRun(cmd *command) bool {
	i, member := c.session.UsedShard(), false
	switch cmd.verb {
	case verbPeek, verbReserveJob, verbDelete, verbRelease, verbBury, verbTouch, verbKickJob, verbStatsJob:
		owner, ok := c.loop.server.router.Owner(cmd.id)
		if !ok {
			// The id may be that of a put which is still in the run.
			if c.run != nil {
				c.flush()
				return false
			}
			c.loop.count(cmd.verb)
			c.loop.refuse(notFound)
			return true
		}
		i, member = owner, cmd.verb == verbReserveJob
	case verbStatsTube, verbPauseTube:
		i = c.loop.server.router.TubeShard(cmd.name)
	default:
		member = true
	}
	op := c.opFor(i, cmd.verb)
	if op == nil {
		c.flush()
		return false
	}
	op.ID, op.Pri, op.Delay, op.Limit, op.Data = cmd.id, cmd.pri, cmd.delay, cmd.n, cmd.name
	c.run.member = c.run.member || member
	return true
}

// executeAlone runs a command that concerns the session or all shards.
func (c *Conn) executeAlone(cmd *command) bool {
	if !c.flush() {
		return false
	}
	c.loop.effort -= effortAlone - 1
	c.loop.count(cmd.verb)
	s := &c.session
	switch cmd.verb {
	case verbUse:
		c.finish(callUse, s.Use(cmd.name))
		if g := c.guard; g != nil {
			g.used = g.subject.May(s.Used())
		}
	case verbWatch:
		c.finish(callWatch, s.Watch(cmd.name))
	case verbIgnore:
		done, refused := s.Ignore(cmd.name)
		if refused {
			c.loop.refuse(notIgnored)
		} else {
			c.finish(callIgnore, done)
		}
	case verbListTubeUsed:
		c.loop.out = appendUsing(c.loop.out, s.Used())
	case verbListTubesWatched:
		c.list(s.Watched())
	case verbListTubes:
		c.listSeen(c.loop.server.router.TubeNames())
	case verbStats:
		c.finish(callStats, s.CountAll(c.guard.judgeOfStats()))
	case verbQuit:
		if c.send(); c.stuck != nil {
			return false // what has been answered is still to get out
		}
		c.close()
	}
	return true
}

// reserve runs both reserves. In the usual case, all watched tubes in one
// shard, it is an operation of the run like others.
func (c *Conn) reserve(cmd *command) bool {
	timeout := cmd.n
	if cmd.verb == verbReserve {
		timeout = forever
	}
	if c.session.ReserveInPlace() {
		op := c.opFor(c.session.WatchShard(), cmd.verb)
		if op == nil {
			c.flush()
			return false
		}
		op.Poll = timeout == 0
		op.Timeout = timeout
		c.run.member = true
		c.becomeWorker()
		return true
	}
	if !c.flush() {
		return false
	}
	c.becomeWorker()
	c.loop.count(cmd.verb)
	c.wake.timeout = timeout
	c.finish(callReserve, c.session.Reserve(timeout == 0))
	return true
}

// becomeWorker and becomeProducer are for the counters in stats.
func (c *Conn) becomeWorker() {
	if !c.worker {
		c.worker = true
		c.loop.server.workers.Add(1)
	}
}

func (c *Conn) becomeProducer() {
	if !c.producer {
		c.producer = true
		c.loop.server.producers.Add(1)
	}
}

// answerReserve answers a reserve over several shards, or one that has waited; or
// begins the wait.
func (c *Conn) answerReserve() {
	resumes := c.resumes
	c.resumes = false
	if c.session.Waiting() {
		c.session.Trim()
		if resumes {
			c.waitOn()
		} else {
			c.wait(c.wake.timeout)
		}
		return
	}
	res := &c.session.Reservation
	if res.Status != queue.OK {
		c.loop.refuse(failures[res.Status])
		c.session.Trim()
		return
	}
	var large [][]byte
	c.loop.out, large = appendJob(c.loop.out, "RESERVED ", res.ID, res.Size, res.Small, res.Large)
	if large != nil {
		c.sendLarge(large)
	}
	c.session.Trim()
}
