package queueservice

import (
	"net/http"
	"strings"

	"beanfield/conn/hall"
)

// door is what the hall asks about a request before the server sees it.
type door struct{ *Server }

// Guard implements hall.FrontEnd.
func (d door) Guard() *hall.Guard { return d.now.Load().guard }

// Exposed implements hall.FrontEnd.
func (d door) Exposed(r *http.Request) bool {
	token := r.Header.Get("Authorization") != "" || asksForJSON(r) && strings.Contains(r.URL.RawQuery, tokenKey)
	return d.auth.Exposed(hall.ConnOf(r).(*socket).Client, token, d.now.Load().tokens)
}

// tokenKey is how pages send a token, which cannot set headers.
const tokenKey = "_token_="

// TurnAway implements hall.FrontEnd.
func (d door) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	q := d.newRequest(w, r)
	q.query = &query{}
	err := refuse(status, why.Error()+": see "+map[error]string{hall.ErrHost: "queue.hosts", hall.ErrOrigin: "queue.origins"}[why])
	q.note(&operation{name: "request"}, err)
	q.fail(err)
}
