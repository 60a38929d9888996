package client

import (
	"fmt"
	"net"
	"strings"
)

// The ports that are used if none is given.
const (
	plainPort = "11300"
	tlsPort   = "11400"
)

// address is where a server listens.
type address struct {
	network string // "tcp" or "unix"
	at      string
	host    string // that a certificate must name
	tls     bool
}

// parseAddress reads HOST:PORT, beanstalk://HOST:PORT, beanstalks://HOST:PORT or
// unix:PATH. The port may be left out.
func parseAddress(text string) (address, error) {
	wrong := func(why string) (address, error) {
		return address{}, fmt.Errorf("server %q: %s", text, why)
	}
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		if path == "" {
			return wrong("the path is missing")
		}
		return address{network: "unix", at: path}, nil
	}
	a := address{network: "tcp"}
	port, rest := plainPort, text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		switch scheme {
		case "beanstalk":
		case "beanstalks":
			a.tls, port = true, tlsPort
		default:
			return wrong("the scheme must be beanstalk or beanstalks")
		}
		rest = strings.TrimSuffix(after, "/")
	}
	if strings.ContainsAny(rest, "/@?# ") || rest == "" {
		return wrong("want HOST:PORT")
	}
	host, given, err := net.SplitHostPort(rest)
	switch {
	case err == nil:
		a.host = host
		if given != "" {
			port = given
		}
	case strings.Count(rest, ":") == 0:
		a.host = rest
	case strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]"):
		a.host = rest[1 : len(rest)-1]
	case net.ParseIP(rest) != nil:
		a.host = rest
	default:
		return wrong("want HOST:PORT")
	}
	if a.host == "" {
		a.host = "localhost"
	}
	a.at = net.JoinHostPort(a.host, port)
	return a, nil
}
