package admin

import (
	"io"
	"net/http"
	"strings"
	"time"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/conn/httpfront"
)

// The pages of this package.
const (
	healthPage  = "/healthz"
	readyPage   = "/readyz"
	metricsPage = "/metrics"
	profiles    = "/debug/pprof/"
)

// realm is what a browser shows when it asks for the token.
const realm = `Basic realm="beanfield: any name, and a token as the password", charset="UTF-8"`

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer conn.EndOnPanic(http.ErrAbortHandler)
	s.bound(w, r)
	w.Header()["X-Content-Type-Options"] = []string{"nosniff"}
	switch r.URL.Path {
	case healthPage:
		read(w, r, func() { text(w, http.StatusOK, "ok") })
	case readyPage:
		read(w, r, func() { s.ready(w, r) })
	default:
		s.private(w, r)
	}
}

// private answers a request for a page that not everybody may see.
func (s *Server) private(w http.ResponseWriter, r *http.Request) {
	r, err := s.admit(r)
	if err != nil {
		w.Header()["Www-Authenticate"] = []string{realm, "Bearer"}
		s.note(r, "")
		text(w, http.StatusUnauthorized, err.Error())
		return
	}
	path := r.URL.Path
	switch {
	case !ClientOf(r).may(path):
		s.note(r, ClientOf(r).Subject.Who())
		text(w, http.StatusForbidden, "not allowed")
	case path != metricsPage && !s.addressed(r):
		text(w, http.StatusMisdirectedRequest, httpfront.ErrHost.Error()+": see http.hosts")
	case strings.HasPrefix(path, profiles):
		s.profile(w, r)
	default:
		s.open(w, r)
	}
}

// mostDetail bounds what a request adds to a line of the audit log, in bytes.
const mostDetail = 200

// note tells the audit log of a request that is refused.
func (s *Server) note(r *http.Request, who string) {
	if s.audit == nil {
		return
	}
	g, path := httpfront.ConnOf(r).(*httpfront.Client), r.URL.Path
	s.audit.Tell(audit.Event{Who: who, From: g.From(), FrontEnd: "http", What: r.Method,
		Detail: path[:min(len(path), mostDetail)], Refused: true})
}

// bound limits how much a request may bring, and how long it and its answer may take.
func (s *Server) bound(w http.ResponseWriter, r *http.Request) {
	control, now := http.NewResponseController(w), time.Now()
	control.SetWriteDeadline(now.Add(s.now.Load().WriteTimeout))
	if r.ContentLength != 0 {
		control.SetReadDeadline(now.Add(s.now.Load().ReadTimeout))
		r.Body = http.MaxBytesReader(w, r.Body, s.now.Load().MaxBody)
	}
}

// ready answers /readyz: whether clients can work, and with put=1 whether jobs are accepted, too. With any=1 clients
// can also work where they are passed on; whether jobs are accepted there is not known.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	o, put, some := s.now.Load(), r.URL.Query().Get("put"), r.URL.Query().Get("any")
	problems, refusals := o.Problems(), o.Refusals()
	if put == "1" {
		problems = append(problems, refusals...)
	}
	switch {
	case put != "" && put != "0" && put != "1":
		text(w, http.StatusBadRequest, "put must be 0 or 1")
	case some != "" && some != "0" && some != "1":
		text(w, http.StatusBadRequest, "any must be 0 or 1")
	case some == "1" && o.PassesOn():
		text(w, http.StatusOK, "ok\nclients are passed on to the node that serves")
	case len(problems) > 0:
		text(w, http.StatusServiceUnavailable, strings.Join(problems, "\n"))
	case len(refusals) > 0:
		text(w, http.StatusOK, "ok\nputs: "+strings.Join(refusals, "; "))
	default:
		text(w, http.StatusOK, "ok\nputs: accepted")
	}
}

// open answers with a page that Open has brought.
func (s *Server) open(w http.ResponseWriter, r *http.Request) {
	pages := s.pages.Load()
	for pages != nil && !pages.enter() {
		pages = s.pages.Load()
	}
	if pages != nil {
		defer pages.leave()
	}
	switch {
	case pages == nil:
		text(w, http.StatusServiceUnavailable, strings.Join(s.now.Load().Problems(), "\n"))
	case r.URL.Path == metricsPage && pages.Metrics != nil:
		read(w, r, func() { pages.serve(pages.Metrics, w, r) })
	case r.URL.Path != metricsPage && pages.Console != nil:
		pages.serve(pages.Console, w, r)
	default:
		http.NotFound(w, r)
	}
}

// read answers a request that only reads, and refuses others.
func read(w http.ResponseWriter, r *http.Request, answer func()) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		answer()
		return
	}
	w.Header()["Allow"] = []string{"GET, HEAD"}
	text(w, http.StatusMethodNotAllowed, "only GET and HEAD")
}

// text sends a text of one or more lines.
func text(w http.ResponseWriter, status int, lines string) {
	h := w.Header()
	h["Content-Type"] = []string{"text/plain; charset=utf-8"}
	h["Cache-Control"] = []string{"no-store"}
	w.WriteHeader(status)
	io.WriteString(w, lines+"\n")
}
