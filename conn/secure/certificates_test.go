package secure

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// files writes a usable set and returns options for it.
func files(t *testing.T, a *securetest.Authority, p securetest.Pair) Options {
	dir := t.TempDir()
	return Options{
		Cert:     securetest.Write(t, dir, "cert.pem", p.Cert),
		Key:      securetest.Write(t, dir, "key.pem", p.Key),
		ClientCA: securetest.Write(t, dir, "ca.pem", a.PEM),
	}
}

// What cannot be used is refused with the key and the file that are wrong.
func TestWrongFiles(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	good, other := a.Usual("one"), a.Usual("two")
	half := func(b []byte) []byte { return b[:len(b)/2] }
	for _, c := range []struct {
		what, key, problem string
		cert, private, ca  []byte
	}{
		{"a cut certificate", "cert", "middle of a PEM block", half(good.Cert), good.Key, a.PEM},
		{"a cut chain", "cert", "middle of a PEM block", append(bytes.Clone(good.Cert), half(a.PEM)...), good.Key,
			a.PEM},
		{"an empty certificate", "cert", "no certificate", nil, good.Key, a.PEM},
		{"a swapped pair", "cert", "no certificate", good.Key, good.Cert, a.PEM},
		{"nonsense", "cert", "", []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), good.Key,
			a.PEM},
		{"a cut key", "key", "middle of a PEM block", good.Cert, half(good.Key), a.PEM},
		{"an empty key", "key", "no private key", good.Cert, nil, a.PEM},
		{"a certificate for a key", "key", "no private key", good.Cert, good.Cert, a.PEM},
		{"a locked key", "key", "encrypted", good.Cert, bytes.ReplaceAll(good.Key, []byte("PRIVATE"),
			[]byte("ENCRYPTED PRIVATE")), a.PEM},
		{"another's key", "key", "does not match", good.Cert, other.Key, a.PEM},
		{"a cut authority", "client_ca", "middle of a PEM block", good.Cert, good.Key, half(a.PEM)},
		{"no authority", "client_ca", "no certificate", good.Cert, good.Key, []byte("hello")},
	} {
		o := files(t, a, good)
		dir := filepath.Dir(o.Cert)
		securetest.Write(t, dir, "cert.pem", c.cert)
		securetest.Write(t, dir, "key.pem", c.private)
		securetest.Write(t, dir, "ca.pem", c.ca)
		_, err := Read(o)
		var fe *FileError
		name := map[string]string{"cert": o.Cert, "key": o.Key, "client_ca": o.ClientCA}[c.key]
		if !errors.As(err, &fe) || fe.Key != c.key || fe.File != name || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %s: %s", c.what, err, c.key, c.problem)
		}
	}
	o := files(t, a, good)
	o.Key += "-missing"
	var fe *FileError
	if _, err := Read(o); !errors.As(err, &fe) || fe.Key != "key" || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing key: %v", err)
	}
}

func TestConfig(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	o := files(t, a, a.Usual("one"))
	for _, c := range []struct {
		change  func(*Options)
		auth    tls.ClientAuthType
		version uint16
	}{
		{func(o *Options) {}, tls.RequireAndVerifyClientCert, tls.VersionTLS12},
		{func(o *Options) { o.Optional = true }, tls.VerifyClientCertIfGiven, tls.VersionTLS12},
		{func(o *Options) { o.ClientCA = "" }, tls.NoClientCert, tls.VersionTLS12},
		{func(o *Options) { o.ClientCA, o.Optional = "", true }, tls.NoClientCert, tls.VersionTLS12},
		{func(o *Options) { o.MinVersion = tls.VersionTLS13 }, tls.RequireAndVerifyClientCert, tls.VersionTLS13},
		{func(o *Options) { o.MinVersion = tls.VersionTLS10 }, tls.RequireAndVerifyClientCert, tls.VersionTLS12},
	} {
		o := o
		c.change(&o)
		got := must.Get(Read(o))
		if n := got.Config(); n.ClientAuth != c.auth || n.MinVersion != c.version ||
			(n.ClientCAs == nil) != (o.ClientCA == "") {
			t.Errorf("%+v: %v, version %x, authorities %v", o, n.ClientAuth, n.MinVersion, n.ClientCAs)
		}
	}
}

// Whatever the files go through, the pair that could be used last stays (T1), and each
// change is reported once.
func TestRefresh(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	one, two := a.Usual("one"), a.Usual("two")
	o := files(t, a, one)
	dir := filepath.Dir(o.Cert)
	c := must.Get(Read(o))
	for _, s := range []struct {
		what, file string
		text       []byte
		wrong      string
		name       string // of the certificate that is in use then
	}{
		{"nothing has changed", "cert.pem", one.Cert, "-", "one"},
		{"the certificate first, half of it", "cert.pem", two.Cert[:200], "cert", "one"},
		{"the rest of it", "cert.pem", two.Cert, "key", "one"},
		{"still the same", "cert.pem", two.Cert, "-", "one"},
		{"half of the key", "key.pem", two.Key[:50], "key", "one"},
		{"the rest of that", "key.pem", two.Key, "", "two"},
		{"no authority", "ca.pem", nil, "client_ca", "two"},
		{"back again", "ca.pem", a.PEM, "", "two"},
	} {
		securetest.Write(t, dir, s.file, s.text)
		changed, err := c.refresh()
		var fe *FileError
		errors.As(err, &fe)
		switch {
		case s.wrong == "-" && changed, s.wrong != "-" && !changed:
			t.Errorf("%s: changed: %v", s.what, changed)
		case s.wrong == "" && err != nil, len(s.wrong) > 1 && (fe == nil || fe.Key != s.wrong):
			t.Errorf("%s: %v, want %s", s.what, err, s.wrong)
		}
		if got := c.current.Load().leaf.Subject.CommonName; got != s.name {
			t.Errorf("%s: %q is in use, want %q", s.what, got, s.name)
		}
		leaf, err := tls.X509KeyPair(c.texts(t))
		if err == nil && !bytes.Equal(leaf.Certificate[0], c.Config().Certificates[0].Certificate[0]) && s.wrong == "" {
			t.Errorf("%s: another pair is in use than the files hold", s.what)
		}
	}
}

func (c *Certificates) texts(t *testing.T) (cert, key []byte) {
	f := must.Get(readFiles(c.opts))
	return f.cert, f.key
}

func TestIdentify(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	p := a.Issue("worker", time.Now().Add(time.Hour))
	all := must.Get(certificates(p.Cert))
	id := identity(all[0])
	if id.Subject != "CN=worker,O=Example" || id.CommonName != "worker" ||
		fmt.Sprint(id.DNSNames, id.Emails, id.URIs) != "[localhost worker] [beans@example.org] "+
			"[spiffe://example.org/worker]" {
		t.Errorf("%+v", id)
	}
}

// With TLS 1.2 a client gets no suite with CBC, and all that it may get work.
func TestNoCBC(t *testing.T) {
	c := must.Get(Read(files(t, securetest.NewAuthority(t, "authority"), securetest.NewAuthority(t,
		"authority").Usual("one"))))
	config := c.Config().Clone()
	config.ClientAuth = tls.NoClientCert
	shake := func(suite uint16) error {
		near, far := net.Pipe()
		defer near.Close()
		go func() {
			tls.Server(far, config).Handshake()
			far.Close()
		}()
		return tls.Client(near, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{suite}}).Handshake()
	}
	worked := 0
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if !slices.Contains(s.SupportedVersions, tls.VersionTLS12) {
			continue
		}
		err := shake(s.ID)
		if err == nil {
			worked++
		}
		if modern := strings.Contains(s.Name, "GCM") || strings.Contains(s.Name, "POLY1305"); err == nil && !modern {
			t.Errorf("%s is offered", s.Name)
		}
	}
	if worked != 3 { // those for the key of this certificate
		t.Errorf("%d suites work", worked)
	}
}
