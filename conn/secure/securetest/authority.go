package securetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"beanfield/storage/must"
)

// Authority signs certificates.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	last int64
	PEM  []byte
}

// Pair is a certificate with its key.
type Pair struct{ Cert, Key []byte }

// NewAuthority makes one.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
	}
	a.cert = template
	a.PEM = a.sign(template, a.key)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	k := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	return k
}

func (a *Authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	der := must.Get(x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key))
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Issue makes a certificate for a client, and for a server on this machine. It is valid
// until the time that is given.
func (a *Authority) Issue(name string, until time.Time) Pair {
	a.t.Helper()
	a.last++
	key := newKey(a.t)
	cert := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(1 + a.last),
		Subject:      pkix.Name{CommonName: name, Organization: []string{"Example"}},
		NotBefore:    time.Now().Add(-2 * time.Hour), NotAfter: until,
		KeyUsage:       x509.KeyUsageDigitalSignature,
		ExtKeyUsage:    []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:       []string{"localhost", name},
		EmailAddresses: []string{"beans@example.org"},
		IPAddresses:    []net.IP{net.IPv4(127, 0, 0, 1)},
		URIs:           []*url.URL{{Scheme: "spiffe", Host: "example.org", Path: "/" + name}},
	}, key)
	der := must.Get(x509.MarshalPKCS8PrivateKey(key))
	return Pair{cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})}
}

// Usual is a certificate that is valid for an hour.
func (a *Authority) Usual(name string) Pair { return a.Issue(name, time.Now().Add(time.Hour)) }

// Trust is what a client needs to trust this authority, with the certificates that it
// shows.
func (a *Authority) Trust(own ...Pair) *tls.Config {
	a.t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}
	c.RootCAs.AppendCertsFromPEM(a.PEM)
	for _, p := range own {
		pair := must.Get(tls.X509KeyPair(p.Cert, p.Key))
		c.Certificates = append(c.Certificates, pair)
	}
	return c
}

// Write writes a file that replaces the one before at once, and returns its name.
func Write(t testing.TB, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(path+".new", text, 0o600))
	must.Do(t, os.Rename(path+".new", path))
	return path
}
