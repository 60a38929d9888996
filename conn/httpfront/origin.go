package httpfront

import (
	"net/netip"
	"strconv"
	"strings"
)

// authority is a host with its port, as an origin and the header Host name them.
type authority struct {
	host string // in lower case, without a dot at its end; an address as netip writes it, without a zone
	port int    // 0 if it is not named
}

// parseAuthority reads "host", "host:port" and "[address]:port".
func parseAuthority(text string) (a authority, ok bool) {
	host, port, named := text, "", false
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return a, false
		}
		inner, _, _ := strings.Cut(text[1:end], "%") // a zone is of the machine that names it
		addr, err := netip.ParseAddr(inner)
		if err != nil || !addr.Is6() {
			return a, false
		}
		host = addr.String()
		if rest := text[end+1:]; rest != "" {
			if port, named = strings.CutPrefix(rest, ":"); !named {
				return a, false
			}
		}
	} else {
		host, port, named = strings.Cut(text, ":")
		host = strings.ToLower(strings.TrimSuffix(host, "."))
		if host == "" || strings.ContainsFunc(host, notOfHost) {
			return a, false
		}
	}
	if named && port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return a, false
		}
		a.port = int(n)
	}
	a.host = host
	return a, true
}

// notOfHost says whether a name cannot have this character. What begins a user, a path or
// another port is never one of a name.
func notOfHost(c rune) bool {
	return c <= ' ' || c == 0x7f || strings.ContainsRune(`/\?#@:[]%*,;"'<>`, c)
}

// String is what a pattern is compared with.
func (a authority) String() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.port == 0 {
		return host
	}
	return host + ":" + strconv.Itoa(a.port)
}

// origin is where a page comes from.
type origin struct {
	scheme string // "http" also for ws, "https" also for wss
	authority
}

// nullOrigin is that of pages that have none: files, and frames that are kept apart.
const nullOrigin = "null"

// defaultPorts are those of the schemes that this server may be asked by.
var defaultPorts = map[string]int{"http": 80, "https": 443}

// parseOrigin reads an origin. SDKs write one with a path, which says nothing.
func parseOrigin(text string) (o origin, ok bool) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" {
		return o, false
	}
	o.scheme = plainScheme(strings.ToLower(scheme))
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if o.authority, ok = parseAuthority(rest); ok && o.port == defaultPorts[o.scheme] {
		o.port = 0
	}
	return o, ok
}

// plainScheme is the scheme of the pages of a host to which somebody has dialled a WebSocket.
func plainScheme(scheme string) string {
	switch scheme {
	case "ws":
		return "http"
	case "wss":
		return "https"
	}
	return scheme
}

// String is how browsers write the origin.
func (o origin) String() string { return o.scheme + "://" + o.authority.String() }

// names says whether the origin is that of a request's own host and port. A Host without a
// port means the scheme's port: over TLS that of https, otherwise either, because the other
// side of a proxy may have TLS.
func (o origin) names(host authority, secured bool) bool {
	usual := defaultPorts[o.scheme]
	if usual == 0 || o.host != host.host {
		return false
	}
	port := o.port
	if port == 0 {
		port = usual
	}
	if host.port != 0 {
		return port == host.port
	}
	return port == usual && (!secured || o.scheme == "https")
}
