package admin

import (
	"net/http"

	"beanfield/conn/hall"
)

// door is what the hall asks about a request before the server sees it.
type door struct{ *Server }

// Guard implements hall.FrontEnd.
func (d door) Guard() *hall.Guard { return d.now.Load().guard }

// Exposed implements hall.FrontEnd.
func (d door) Exposed(r *http.Request) bool {
	return d.auth.Exposed(hall.ConnOf(r).(*hall.Client), tokenOf(r) != "", d.now.Load().tokens)
}

// TurnAway implements hall.FrontEnd.
func (d door) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	d.bound(w, r)
	d.note(r, "")
	text(w, status, why.Error()+": see "+map[error]string{hall.ErrHost: "http.hosts", hall.ErrOrigin: "http.origins"}[why])
}

// addressed says whether a request names the server in a way that only its own users can
// have chosen. It is asked about the console on every address, not only on loopback as by the
// guard: the console is for people, who name the server as their network does.
//
// A token or TLS makes this needless: a page whose own name leads to this server has no token
// for that name, and the certificate does not fit it.
func (s *Server) addressed(r *http.Request) bool {
	return ClientOf(r).token || hall.ConnOf(r).(*hall.Client).Secured() || s.now.Load().guard.Addressed(r.Host)
}
