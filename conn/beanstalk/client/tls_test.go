package client

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// sealed answers one line of each client, who must have a certificate of the authority, and
// returns the port.
func sealed(t *testing.T, a *securetest.Authority) string {
	config := a.Trust(a.Usual("server"))
	config.ClientCAs, config.ClientAuth = config.RootCAs, tls.RequireAndVerifyClientCert
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", config))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
					_, _ = io.WriteString(conn, "USING default\r\n")
				}
			}()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func TestTLS(t *testing.T) {
	a, dir := securetest.NewAuthority(t, "authority"), t.TempDir()
	pair := a.Usual("mine")
	ca, empty := securetest.Write(t, dir, "ca", a.PEM), securetest.Write(t, dir, "empty", nil)
	mine := securetest.Write(t, dir, "mine", append(pair.Cert, pair.Key...))
	at := "beanstalks://127.0.0.1:" + sealed(t, a)
	for _, c := range []struct {
		what string
		o    Options
		says string // "" if it works
	}{
		{"both trust each other", Options{Server: at, CA: ca, Cert: mine, Key: mine}, ""},
		{"certificate and key in one file", Options{Server: at, CA: ca, Cert: mine}, ""},
		{"the server is not trusted", Options{Server: at, Cert: mine}, "unknown authority"},
		{"no certificate of one's own", Options{Server: at, CA: ca}, "certificate"},
		{"a name that the certificate lacks", Options{Server: strings.Replace(at, "127.0.0.1", "0.0.0.0", 1), CA: ca,
			Cert: mine}, "not 0.0.0.0"},
		{"no certificate in the file", Options{Server: at, CA: empty, Cert: mine}, "has no certificate"},
		{"no such file", Options{Server: at, CA: ca, Cert: "/nowhere"}, "no such file"},
		{"a key alone", Options{Server: at, CA: ca, Key: mine}, "no such file"},
		{"plain text to a server with TLS", Options{Server: strings.TrimPrefix(at, "beanstalks://")},
			"has closed the connection"},
		{"certificates without TLS", Options{Server: "127.0.0.1:1", CA: ca}, "certificates need beanstalks://"},
	} {
		c.o.Timeout = 5 * time.Minute
		s, err := Dial(c.o)
		if err == nil {
			var r Reply
			r, err = s.Ask("list-tube-used")
			if err == nil && r.Word != "USING" {
				t.Errorf("%s: %q", c.what, r.Line)
			}
			s.Close()
		}
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}
