package console

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
)

const apiPath = "/api/v1/"

// policy lets pages use what comes from here, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	name, api := strings.CutPrefix(r.URL.Path, apiPath)
	if !api {
		c.page(w, r)
		return
	}
	h.Set("Cache-Control", "no-store")
	reader, reads := readers[name]
	actor, acts := actors[name]
	switch {
	case !reads && !acts:
		refuse(w, &problem{http.StatusNotFound, "there is nothing of this name"})
	case reads && r.Method == http.MethodGet:
		c.read(w, r, reader)
	case acts && r.Method == http.MethodPost:
		c.act(w, r, name, actor)
	default:
		h.Set("Allow", map[bool]string{true: http.MethodGet, false: http.MethodPost}[reads])
		refuse(w, &problem{http.StatusMethodNotAllowed, "not with this method"})
	}
}

// page sends one of the files. The browser asks each time whether it has changed, because
// another version of the server may have come.
func (c *Console) page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, &problem{http.StatusMethodNotAllowed, "not with this method"})
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	c.files.ServeHTTP(w, r)
}

// checkKind refuses an action that is not JSON: a page from elsewhere that a browser has told
// nothing about could send any other kind without asking first.
func checkKind(r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, "the content type must be application/json"}
	}
	return nil
}

// problem is why a request is refused.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

// wrong is a mistake of the client's.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// busy is what a page is told if the shards have not answered.
var busy = &problem{http.StatusServiceUnavailable, "the server is too busy to answer"}

func refuse(w http.ResponseWriter, err error) {
	p := &problem{http.StatusInternalServerError, err.Error()}
	errors.As(err, &p)
	reply(w, p.status, map[string]string{"error": p.text})
}

func reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}
