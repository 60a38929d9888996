package beanstalk

import (
	"bytes"
	"strconv"
	"time"

	"beanfield/conn/access"
)

// Clients of some listeners may log in with a token, in two ways. New clients send the command
// auth. Old ones, whose library knows no such command, send their first put with a body that
// begins with "oauth " and the token: it makes no job.

// mostTries is how many wrong tokens a connection may show.
const mostTries = 3

// auth runs the command of that name.
func (c *Conn) auth(cmd *command) bool {
	if !c.flush() {
		return false
	}
	switch {
	case !c.login:
		c.loop.refuse(unknownCommand)
	case cmd.word != "":
		c.loop.refuse(cmd.word)
	default:
		c.loop.effort -= effortAlone - 1
		c.logIn(string(cmd.name), 0)
	}
	return true
}

const knockWord = "oauth "

// longestKnock is how long such a body may be. A longer one is not looked at, so a client that
// has not logged in cannot make the server hold more.
const longestKnock = 4 << 10

// isKnock says that the body of a first put shows a token. Others may begin like that too, because
// bodies are often what somebody has written. So without rules such a put is a job, and likewise
// if the client may put it and no rule knows the token.
func (c *Conn) isKnock(body []byte) bool {
	g := c.guard
	if !c.knocks || g == nil || len(body) > longestKnock || !bytes.HasPrefix(body, []byte(knockWord)) {
		return false
	}
	if !g.used.Has(access.Put) {
		return true
	}
	h := access.HashOf(token(body))
	return g.policy.Knows(&h)
}

// token is the second word of such a body.
func token(body []byte) string {
	body = bytes.TrimLeft(body[len(knockWord):], " ")
	if i := bytes.IndexAny(body, " \t\r\n\x00"); i >= 0 {
		body = body[:i]
	}
	return string(body)
}

// knock runs a first put that shows a token. It uses up an id for the answer, although there is
// no job: some libraries take the id 0 for an error.
func (c *Conn) knock(data []byte, size int) (rest []byte, ok bool) {
	if !c.flush() {
		return data, false
	}
	c.loop.count(verbPut)
	c.loop.effort -= effortAlone - 1
	c.logIn(token(data[:size]), c.session.NewID())
	return data[size+2:], true
}

// logIn looks at a token. id is that of the put that has brought it, or 0.
func (c *Conn) logIn(text string, id uint64) {
	s := c.loop.server
	if id != 0 {
		s.router.EndID(id)
	}
	c.knocks = false
	if c.guard == nil {
		c.guard = &guard{id: c.identity()}
	}
	g, p := c.guard, s.book.Load()
	g.entry = id
	shown := g.id.WithToken(text)
	if p != nil && !p.Knows(shown.Token) {
		c.punish()
		return
	}
	if p != nil {
		if delay := s.guesses.Right(g.id.Addr); delay > 0 {
			g.late = &shown
			c.answerLate(delay)
			return
		}
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
		c.loop.out = append(c.loop.out, "INSERTED "...)
		c.loop.out = strconv.AppendUint(c.loop.out, id, 10)
		c.loop.out = append(c.loop.out, crlf...)
		return
	}
	c.loop.out = append(c.loop.out, "OK 0\r\n\r\n"...)
}

// punish delays the answer to a wrong token. Only this client waits.
func (c *Conn) punish() {
	g := c.guard
	g.wrong++
	c.noteDenied(verbAuth, "", 0)
	c.answerLate(c.loop.server.guesses.Wrong(g.id.Addr))
}

// answerLate has absolve answer a token after some time. Until then the connection runs nothing.
func (c *Conn) answerLate(delay time.Duration) {
	c.punished = true
	c.loop.timers.set(c, c.loop.server.router.Now()+int64(delay))
}

// absolve answers a token when its time has come. A right one may have been taken away meanwhile.
func (c *Conn) absolve() {
	c.punished = false
	g, p := c.guard, c.loop.server.book.Load()
	late := g.late
	g.late = nil
	if late != nil && (p == nil || p.Knows(late.Token)) {
		c.enter(*late)
		c.goOn()
		return
	}
	w := notFound
	if g.entry != 0 {
		w = refusedWith[verbPut]
	}
	c.loop.refuse(w)
	if g.wrong >= mostTries {
		c.send()
		c.close()
		return
	}
	c.goOn()
}
