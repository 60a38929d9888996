package client

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// authority makes certificates in files.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.issue("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue writes NAME.pem, a certificate with its key. The first one signs itself, and the
// others.
func (a *authority) issue(name string, c *x509.Certificate) (file string) {
	a.t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if a.cert == nil {
		a.cert, a.key = c, key
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key))
	secret := must.Get(x509.MarshalPKCS8PrivateKey(key))
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	file = filepath.Join(a.dir, name+".pem")
	must.Do(a.t, os.WriteFile(file, text, 0o600))
	return file
}

// serve answers one line of each client, who must have a certificate of the authority, and
// returns the port.
func (a *authority) serve(file string) string {
	own, err := tls.LoadX509KeyPair(file, file)
	if err != nil {
		a.t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	text, err := os.ReadFile(filepath.Join(a.dir, "ca.pem"))
	if err != nil || !trusted.AppendCertsFromPEM(text) {
		a.t.Fatal(err)
	}
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert}))
	a.t.Cleanup(func() { l.Close() })
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
	a := newAuthority(t)
	server := a.issue("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	mine := a.issue("mine", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	ca, empty := filepath.Join(a.dir, "ca.pem"), filepath.Join(a.dir, "empty")
	must.Do(t, os.WriteFile(empty, nil, 0o600))
	at := "beanstalks://127.0.0.1:" + a.serve(server)
	for _, c := range []struct {
		what string
		o    Options
		says string // "" if it works
	}{
		{"both trust each other", Options{Server: at, CA: ca, Cert: mine, Key: mine}, ""},
		{"certificate and key in one file", Options{Server: at, CA: ca, Cert: mine}, ""},
		{"the server is not trusted", Options{Server: at, Cert: mine}, "unknown authority"},
		{"no certificate of one's own", Options{Server: at, CA: ca}, "certificate"},
		{"a name that the certificate lacks", Options{Server: strings.Replace(at, "127.0.0.1", "localhost", 1), CA: ca, Cert: mine}, "localhost"},
		{"no certificate in the file", Options{Server: at, CA: empty, Cert: mine}, "has no certificate"},
		{"no such file", Options{Server: at, CA: ca, Cert: "/nowhere"}, "no such file"},
		{"a key alone", Options{Server: at, CA: ca, Key: mine}, "no such file"},
		{"plain text to a server with TLS", Options{Server: strings.TrimPrefix(at, "beanstalks://")}, "has closed the connection"},
		{"certificates without TLS", Options{Server: "127.0.0.1:1", CA: ca}, "certificates need beanstalks://"},
	} {
		c.o.Timeout = 10 * time.Second
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
