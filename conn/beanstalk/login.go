package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
)

// Clients of some listeners may log in with a token, in two ways. New clients send the command
// auth. Old ones, whose library knows no such command, put a body that shows the token
// (access.Shown): it makes no job.

// mostTries is how many wrong tokens a connection may show.
const mostTries = 3

// auth runs the command of that name.
func (c *Conn) auth(cmd *protocol.Command) {
	c.logIn(string(cmd.Name), 0)
}

// granted says that nothing speaks against a put.
const granted = slow.Reasons

// refusalOf says why a command whose body has come, or the beginning of it, may not be; Token says that it is a put
// that shows a token.
func (c *Conn) refusalOf(p *incoming, body []byte) slow.Reason {
	why := granted
	if c.guard == nil {
		return why
	}
	if commands[p.verb].body == nil {
		why = c.tokenIn(p.verb, p.size, body)
	}
	if why == granted && !c.allowed(p.verb, p.tube) {
		return slow.Right
	}
	return why
}

// tokenIn says whether the body of a put, of which at least access.LongestShown bytes are there, shows a token by
// which the client may log in (Token), or one that a rule knows although it may not (Exposed). Only the command put can
// log a client in: others belong to clients that know the command auth. A token that a rule knows never becomes a job.
// Bodies are often what somebody has written, and may begin like that too: so without rules such a put is a job, and
// likewise if no rule knows the token, unless this is the first put of a client that may not put: then it has mistaken
// its token.
func (c *Conn) tokenIn(v protocol.Verb, size int, body []byte) slow.Reason {
	g := c.guard
	token, ok := access.Shown(body)
	if g.policy == nil || !ok {
		return granted
	}
	c.loop.Effort -= effortAlone - 1
	h := access.HashOf(token)
	switch known := g.policy.Knows(&h); {
	case known && (!c.login || v != verbPut):
		return slow.Exposed
	case known, c.mayShow && v == verbPut && !g.used.Has(access.Put) && size <= access.LongestShown:
		return slow.Token
	}
	return granted
}

// forgoLogin notes that the first put, by which a client may log in, has come and shown no token.
func (c *Conn) forgoLogin(p *incoming) { c.mayShow = c.mayShow && p.verb != verbPut }

// logInByPut runs a put that shows a token. It uses up an id for the answer, although there is no
// job: some libraries take the id 0 for an error. It reports false when the put has to be tried
// again.
func (c *Conn) logInByPut(body []byte) bool {
	if !c.counted(verbPut) {
		return false
	}
	token, _ := access.Shown(body)
	c.logIn(token, c.session.NewID())
	return true
}

// logIn looks at a token. id is that of the put that has brought it, or 0.
func (c *Conn) logIn(text string, id uint64) {
	s := c.loop.server
	if id != 0 {
		s.router.EndID(id)
	}
	c.mayShow = false
	if c.guard == nil {
		c.guard = &guard{id: c.identity()}
	}
	g, p := c.guard, s.book.Load()
	g.entry = id
	shown := g.id.WithToken(text)
	if p != nil && !p.Knows(shown.Token) {
		c.delayRefusal()
		return
	}
	c.enter(shown)
}

// enter gives a client the rights of the token that it has shown. Without rules the token is
// kept too: there may be rules later.
func (c *Conn) enter(as access.Identity) {
	c.guard.id = as
	c.judgeAnew()
	c.finish(callLogin, c.session.Review(c.guard.mayReserve))
}

// loggedIn answers the command that has brought a right token.
func (c *Conn) loggedIn() {
	c.session.Trim()
	if id := c.guard.entry; id != 0 {
		c.loop.Out = protocol.AppendNumber(c.loop.Out, "INSERTED ", id)
		return
	}
	c.loop.Out = append(c.loop.Out, "OK 0\r\n\r\n"...)
}

// delayRefusal answers a wrong token, mostly late. Only this client waits: until then its connection
// runs nothing.
func (c *Conn) delayRefusal() {
	g := c.guard
	g.wrong++
	c.noteDenied(verbAuth, "", 0, slow.Token, lineOf(verbAuth, "", 0))
	delay := c.loop.server.guesses.Wrong(g.id.Peer.Addr.Addr())
	if delay == 0 {
		c.refuseToken()
		return
	}
	c.refusalDue = true
	c.SetAlarm(c.loop.server.router.Now() + int64(delay))
}

// refuseToken answers a wrong token. The third one ends the connection.
func (c *Conn) refuseToken() {
	v := verbAuth
	if c.guard.entry != 0 {
		v = verbPut
	}
	c.loop.refuse(commands[v].refused)
	if c.guard.wrong >= mostTries {
		c.Send()
		c.Close()
	}
}
