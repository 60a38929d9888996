package httpfront

import (
	"beanfield/conn/access"
	"beanfield/conn/secure"
)

// judgement is what a client may do by the rules of a policy.
type judgement struct {
	policy  *access.Policy
	token   *access.Hash
	known   bool // the policy knows the token
	subject *access.Subject
}

// subject returns the client's subject, with the token that it has shown last.
func (g *Client) subject(p *access.Policy) *access.Subject {
	if p == nil {
		return nil
	}
	token := g.token.Load()
	if j := g.judged.Load(); j != nil && j.policy == p && j.token == token {
		return j.subject
	}
	id := g.Identity()
	id.Token = token
	j := &judgement{p, token, token != nil && p.Knows(token), p.Subject(id)}
	g.judged.Store(j)
	return j.subject
}

// remember notes a token that nobody has judged, or "" for none, in place of the one that the client
// has shown before. It counts if there are rules before the client shows another.
func (g *Client) remember(token string) {
	if token != "" {
		g.token.Store(new(access.HashOf(token)))
	} else if g.token.Load() != nil {
		g.token.Store(nil)
	}
}

// judgedBy says whether the client has been judged by a policy that knows its token.
func (g *Client) judgedBy(p *access.Policy) bool {
	j := g.judged.Load()
	return j != nil && j.policy == p && j.known && j.token == g.token.Load()
}

// From is where the client comes from, in words.
func (g *Client) From() string { return g.Peer().String() }

// Identity is what is known of the client besides its token.
func (g *Client) Identity() access.Identity {
	id := access.Identity{Peer: g.Peer()}
	if t, ok := g.Conn.(*secure.Conn); ok {
		id.Certificate = secure.Identify(t.Conn)
	}
	return id
}
