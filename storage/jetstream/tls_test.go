package jetstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"beanfield/storage/must"
)

// ownCertificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func ownCertificate(t *testing.T) (cert, key string) {
	private := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "node"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return write("c \"1\".pem", "CERTIFICATE", must.Get(x509.CreateCertificate(rand.Reader, template, template,
			&private.PublicKey, private))),
		write("k.pem", "PRIVATE KEY", must.Get(x509.MarshalPKCS8PrivateKey(private)))
}

// With certificates the engine shows its own to the others, and wants one of each that its authority has
// signed; then there need be no secret.
func TestTLSBetweenEngines(t *testing.T) {
	cert, key := ownCertificate(t)
	o := Options{Dir: t.TempDir(), Cluster: "c", Node: "a", Nodes: map[string]string{"a": "127.0.0.1:1",
		"b": "127.0.0.1:2"}, Cert: cert, Key: key, CA: cert}
	must.Do(t, o.check())
	routes := must.Get(o.parsed("p", true)).Cluster
	if c := routes.TLSConfig; c == nil || c.ClientAuth != tls.RequireAndVerifyClientCert || len(c.Certificates) != 1 ||
		c.ClientCAs == nil || c.RootCAs == nil {
		t.Errorf("engines talk with %+v", c)
	}
	o.Key = ""
	if err := o.check(); !errors.Is(err, ErrOptions) {
		t.Errorf("without a key: %v", err)
	}
	o.Cert, o.CA, o.Secret = "", "", "s"
	if c := must.Get(o.parsed("p", true)).Cluster.TLSConfig; c != nil {
		t.Errorf("without files engines talk with %+v", c)
	}
}
