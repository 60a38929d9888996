package queueservice

import (
	"net/http"
	"strings"

	"beanfield/conn/hall"
)

// handler is what the hall asks about a request before the server sees it.
type handler struct{ *Server }

// Guard implements hall.Handler.
func (h handler) Guard() *hall.Guard { return h.now.Load().Guard }

// Exposed implements hall.Handler.
func (h handler) Exposed(r *http.Request) bool {
	token := r.Header.Get("Authorization") != "" || asksForJSON(r) && strings.Contains(r.URL.RawQuery, tokenKey)
	return h.auth.Exposed(hall.ConnOf(r).(*socket).Client, token, h.now.Load().Listed)
}

// tokenKey is how pages send a token, which cannot set headers.
const tokenKey = "_token_="

// TurnAway implements hall.Handler.
func (h handler) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	q := h.newRequest(w, r)
	q.query = &query{}
	err := refuse(status, why.Error()+": see "+map[error]string{hall.ErrHost: "queue.hosts", hall.ErrOrigin: "queue.origins"}[why])
	q.note(&operation{name: "request"}, err)
	q.fail(err)
}
