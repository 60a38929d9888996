package httpfront

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"beanfield/conn/access"
)

// Authenticator finds out what the clients of a front end may do. All front ends have the same Current and
// the same Guesses.
type Authenticator struct {
	Current *access.Current
	Guesses *access.Guesses
}

// Complete makes a policy without rules, and a memory of guesses, if there is none.
func (p *Authenticator) Complete() {
	if p.Current == nil {
		p.Current = &access.Current{}
	}
	if p.Guesses == nil {
		p.Guesses = &access.Guesses{}
	}
}

// Why a client is not let in.
var (
	ErrNoToken    = errors.New("a token is needed")
	ErrWrongToken = errors.New("a wrong token")
)

// Authenticate returns the subject of a client that shows a token, or "" for none. As long as there
// are no rules, listed are the tokens that let clients in, and all may enter if there are
// none; the subject is nil then. Rules take the place of these tokens.
//
// Wrong tokens are answered late (access.Guesses): until then, or until ctx ends, it does not
// return. A right one never waits.
func (p Authenticator) Authenticate(ctx context.Context, g *Client, token string,
	listed Tokens) (*access.Subject, error) {
	policy := p.Current.Load()
	if policy == nil && len(listed) == 0 {
		g.remember(token)
		return nil, nil
	}
	if token == "" {
		g.token.Store(nil)
		s := g.subject(policy)
		if policy == nil || s.Who() == "" {
			return nil, ErrNoToken // perhaps a token helps
		}
		return s, nil
	}
	h := access.HashOf(token)
	if known := g.token.Load(); policy == nil || known == nil || *known != h || !g.judgedBy(policy) {
		if !knows(policy, listed, &h) {
			p.delayRefusal(ctx, g.Peer().Addr.Addr())
			return nil, ErrWrongToken
		}
		g.token.Store(&h)
	}
	return g.subject(policy), nil
}

// May says whether a client that has been let in still has rights on a tube.
func (p Authenticator) May(g *Client, listed Tokens, tube string, rights access.Rights) bool {
	if policy := p.Current.Load(); policy != nil {
		return g.subject(policy).May(tube).Has(rights)
	}
	h := g.token.Load()
	return len(listed) == 0 || h != nil && h.IsAmong(listed)
}

// Exposed says whether anybody is let in who can send a request, with or without a token: if
// there is nothing that asks for one, or rules let in by address those that have none. (With
// rules and TLS nobody is, since the certificate does not fit the name of a page from elsewhere.)
func (p Authenticator) Exposed(g *Client, hasToken bool, listed Tokens) bool {
	if p.Current.Load() != nil {
		return !hasToken && !g.Secured()
	}
	return len(listed) == 0
}

func knows(policy *access.Policy, listed Tokens, h *access.Hash) bool {
	if policy != nil {
		return policy.Knows(h)
	}
	return h.IsAmong(listed)
}

// delayRefusal waits as long as a wrong token's answer has to, or until ctx ends.
func (p Authenticator) delayRefusal(ctx context.Context, addr netip.Addr) {
	d := p.Guesses.Wrong(addr)
	if d == 0 {
		return
	}
	defer p.Guesses.Answered(addr)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
