package console

import (
	"context"
	"net/http"
	"strings"
	"time"
)

const apiPath = "/api/v1/"

// contentPolicy lets pages use what comes from here, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
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
	case c.router == nil && r.Method == http.MethodGet:
		c.read(w, r, func(c *Console, r *http.Request) (any, error) { return c.follows(name, r) })
	case c.router == nil:
		refuse(w, onlyFollows)
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

// readers and actors are the interface, by the path below apiPath.
var (
	readers = map[string]func(*Console, *http.Request) (any, error){
		"overview": (*Console).overview, "tubes": (*Console).tubes, "tube": (*Console).tube, "jobs": (*Console).jobs,
		"job":         (*Console).job,
		"connections": (*Console).connections, "latency": (*Console).latency, "history": (*Console).history,
		"rights": (*Console).rights,
		"slow":   (*Console).slow, "refused": (*Console).refused, "policies": (*Console).policies,
		"schedules": (*Console).schedules, "cluster": (*Console).cluster, "server": (*Console).server,
	}
	actors = map[string]func(*Console, *action) error{
		"put": (*Console).put, "kick": (*Console).kick, "pause": (*Console).pause,
		"delete": (*Console).remove, "kick-job": (*Console).kickJob, "move-job": (*Console).moveJob,
		"bury": (*Console).bury, "release": (*Console).release,
		"purge": (*Console).purge, "move": (*Console).move, "drain": (*Console).drain,
		"set-policies": (*Console).setPolicies,
		"disconnect":   (*Console).disconnect,
	}
)

// readPatience is how long a page waits for shards that do not get round to it.
const readPatience = 5 * time.Second

// read answers a GET of the interface.
func (c *Console) read(w http.ResponseWriter, r *http.Request, fn func(*Console, *http.Request) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), readPatience)
	defer cancel()
	answer, err := fn(c, r.WithContext(ctx))
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, answer)
}
