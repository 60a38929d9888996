package admin

import (
	"context"
	"net/http"
	"strings"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
)

// Client is who has sent a request.
type Client struct {
	Subject *access.Subject // nil: it may do everything
	From    string          // where it comes from, in words
	token   bool            // it has shown a right token
}

// clientKey is the key of a *Client in a request's context.
type clientKey struct{}

// ClientOf returns who has sent a request that this package has passed on.
func ClientOf(r *http.Request) *Client {
	c, ok := r.Context().Value(clientKey{}).(*Client)
	if !ok {
		return &Client{Subject: &access.Subject{}} // it may do nothing
	}
	return c
}

// admit finds out who has sent a request. The request that it returns is to be passed on.
func (s *Server) admit(r *http.Request) (*http.Request, error) {
	g := httpfront.ConnOf(r).(*httpfront.Client)
	token, set := tokenOf(r), s.now.Load()
	subject, err := s.auth.Authenticate(r.Context(), g, token, set.Listed)
	if err != nil {
		return r, err
	}
	c := &Client{Subject: subject, From: g.From(), token: token != "" && (subject != nil || len(set.Listed) > 0)}
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, c)), nil
}

// tokenOf is the token that a request has: as such, or as a password with any name.
func tokenOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// may says whether a client may see a page of this package or the console. The figures and
// profiles are of all tubes; the console shows a client only what it may see.
func (c *Client) may(path string) bool {
	return c.Subject.Anywhere() != 0 && (path != metricsPage || c.Subject.Everywhere().Has(access.Stats)) &&
		(!strings.HasPrefix(path, profiles) || c.Subject.Everywhere().Has(access.Admin))
}
