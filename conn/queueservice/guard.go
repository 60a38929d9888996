package queueservice

import (
	"net/http"
	"strings"

	"beanfield/conn/httpfront"
)

// handler is what the front asks about a request before the server sees it.
type handler struct{ *Server }

// Guard implements httpfront.Handler.
func (h handler) Guard() *httpfront.Guard { return h.now.Load().Guard }

// Exposed implements httpfront.Handler.
func (h handler) Exposed(r *http.Request) bool {
	token := r.Header.Get("Authorization") != "" || asksForJSON(r) && strings.Contains(r.URL.RawQuery, tokenKey)
	return h.auth.Exposed(httpfront.ConnOf(r).(*socket).Client, token, h.now.Load().Listed)
}

// tokenKey is how pages send a token, which cannot set headers.
const tokenKey = "_token_="

// TurnAway implements httpfront.Handler.
func (h handler) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	q := h.newRequest(w, r)
	q.query = &query{}
	err := refuse(status, why.Error()+": see "+map[error]string{httpfront.ErrHost: "queue.hosts",
		httpfront.ErrOrigin: "queue.origins"}[why])
	q.note(&operation{name: "request"}, err)
	q.fail(err)
}
