package admin

import (
	"net/http"
	"strings"
)

// admit says whether a request has a right token, or needs none.
func (s *Server) admit(r *http.Request) bool {
	if len(s.now.Load().tokens) == 0 {
		return true
	}
	if _, password, ok := r.BasicAuth(); ok {
		return s.now.Load().tokens.Know(password)
	}
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && s.now.Load().tokens.Know(strings.TrimSpace(token))
}
