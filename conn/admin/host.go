package admin

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// addressed says whether a request names the server in a way that only its own users can
// have chosen: by an address, by a name without a dot, which only a local network resolves,
// or by one of Options.Hosts.
//
// Without that, a page from elsewhere could use a browser that reaches this server: the
// page's own name is made to stand for this server's address after the page has been
// loaded, and for the browser both are then the same site. A token or TLS prevents this
// too, as the browser sends no token to that name, and the certificate does not fit it.
func (s *Server) addressed(r *http.Request) bool {
	if ClientOf(r).token || r.TLS != nil {
		return true
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.TrimSuffix(name, ".")
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(s.now.Load().Hosts, func(known string) bool { return strings.EqualFold(known, name) })
}
