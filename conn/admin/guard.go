package admin

import (
	"net/http"

	"beanfield/conn/httpfront"
)

// handler is what the front asks about a request before the server sees it.
type handler struct{ *Server }

// Guard implements httpfront.Handler.
func (h handler) Guard() *httpfront.Guard { return h.now.Load().Guard }

// Exposed implements httpfront.Handler.
func (h handler) Exposed(r *http.Request) bool {
	return h.auth.Exposed(httpfront.ConnOf(r).(*httpfront.Client), tokenOf(r) != "", h.now.Load().Listed)
}

// TurnAway implements httpfront.Handler.
func (h handler) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	h.bound(w, r)
	h.note(r, "")
	text(w, status, why.Error()+": see "+map[error]string{httpfront.ErrHost: "http.hosts",
		httpfront.ErrOrigin: "http.origins"}[why])
}

// addressed says whether a request names the server in a way that only its own users can
// have chosen. It is asked about the console on every address, not only on loopback as by the
// guard: the console is for people, who name the server as their network does.
//
// A token or TLS makes this needless: a page whose own name leads to this server has no token
// for that name, and the certificate does not fit it.
func (s *Server) addressed(r *http.Request) bool {
	return ClientOf(r).token || httpfront.ConnOf(r).(*httpfront.Client).Secured() ||
		s.now.Load().Guard.Addressed(r.Host)
}
