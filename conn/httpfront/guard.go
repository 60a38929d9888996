package httpfront

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"beanfield/conn/access"
)

// Guard keeps out requests that a web page from elsewhere has made, with the browser of
// somebody who can reach this server. It never changes.
type Guard struct {
	hosts   []string // patterns of names, in lower case
	origins []string // patterns of origins
}

// NewGuard makes a guard that knows names of this server, and origins of pages that may use
// it. In both, * stands for any characters.
func NewGuard(hosts, origins []string) (*Guard, error) {
	g := &Guard{}
	for _, text := range hosts {
		p, err := hostPattern(text)
		if err != nil {
			return nil, err
		}
		g.hosts = append(g.hosts, p)
	}
	for _, text := range origins {
		p, err := originPattern(text)
		if err != nil {
			return nil, err
		}
		g.origins = append(g.origins, p)
	}
	return g, nil
}

// hostPattern is a name or a pattern in the form in which names are compared.
func hostPattern(text string) (string, error) {
	p := strings.ToLower(strings.TrimSuffix(text, "."))
	if p == "" || strings.ContainsFunc(p, func(c rune) bool { return c != '*' && notOfHost(c) }) {
		return "", fmt.Errorf("%q is not a name: a name has neither scheme nor port", text)
	}
	return p, nil
}

// originPattern is an origin or a pattern in the form in which origins are compared.
func originPattern(text string) (string, error) {
	if text == nullOrigin || text == "*" {
		return text, nil
	}
	if o, ok := parseOrigin(text); ok {
		if _, rest, _ := strings.Cut(text, "://"); strings.ContainsAny(strings.TrimSuffix(rest, "/"), "/?#") {
			return "", fmt.Errorf("%q has a path: an origin ends with the host and its port", text)
		}
		return o.String(), nil
	}
	scheme, rest, ok := strings.Cut(strings.ToLower(text), "://")
	rest = strings.TrimSuffix(rest, "/")
	if !ok || !strings.Contains(text, "*") || scheme == "" || rest == "" || strings.ContainsAny(rest, "/\\?#@% ") {
		return "", fmt.Errorf("%q is not an origin, as \"https://example.org\"", text)
	}
	scheme = plainScheme(scheme)
	if port := defaultPorts[scheme]; port != 0 {
		rest = strings.TrimSuffix(rest, fmt.Sprintf(":%d", port))
	}
	return scheme + "://" + rest, nil
}

// Why a request is not let in.
var (
	ErrOrigin = errors.New("a page of this origin may not use this server")
	ErrHost   = errors.New("this server is not known by that name")
)

// check says whether a request may go on. exposed says that nothing but the name in it keeps
// pages from elsewhere out: it has come to a loopback address, and is let in without a token.
func (g *Guard) check(r *http.Request, secured, exposed bool) error {
	if exposed && r.Host != "" && !g.knows(r.Host) { // browsers always send a Host
		return ErrHost
	}
	listed := false
	if values, ok := r.Header["Origin"]; ok {
		if len(values) != 1 {
			return ErrOrigin
		}
		if listed = g.lists(values[0]); !listed && !own(values[0], r.Host, secured) {
			return ErrOrigin
		}
	} else if r.Method == http.MethodGet && g.lists(r.Referer()) {
		listed = true // somebody has followed a link: no Origin is sent then
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" && !listed {
			return ErrOrigin
		}
	}
	return nil
}

// knows says whether a Host is an address, localhost, or a known name.
func (g *Guard) knows(host string) bool {
	a, ok := parseAuthority(host)
	if !ok {
		return false
	}
	if _, err := netip.ParseAddr(a.host); err == nil {
		return true
	}
	return a.host == "localhost" || access.MatchesAny(g.hosts, a.host)
}

// Addressed says whether a Host is one that only the server's own users can have chosen: one
// that the guard knows, or a name without a dot, which only a local network resolves.
func (g *Guard) Addressed(host string) bool {
	a, ok := parseAuthority(host)
	return host == "" || ok && !strings.Contains(a.host, ".") || g.knows(host)
}

// lists says whether an origin is one of those that may use the server.
func (g *Guard) lists(text string) bool {
	if len(g.origins) == 0 || text == "" {
		return false
	}
	if text == nullOrigin {
		return slices.Contains(g.origins, nullOrigin)
	}
	o, ok := parseOrigin(text)
	return ok && access.MatchesAny(g.origins, o.String())
}

// own says whether an origin names the host and port that a request is for.
func own(text, host string, secured bool) bool {
	o, ok := parseOrigin(text)
	a, named := parseAuthority(host)
	return ok && named && o.names(a, secured)
}
