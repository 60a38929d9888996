package config

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure/securetest"
)

// A certificate, key or authority that cannot be used is a mistake that names the file,
// the key and the reason; then nothing is opened.
func TestTLSMistakes(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	one, two := a.Usual("one"), a.Usual("two")
	dir := t.TempDir()
	for name, text := range map[string][]byte{"c1": one.Cert, "k1": one.Key, "k2": two.Key, "half": one.Cert[:300],
		"empty": nil} {
		securetest.Write(t, dir, name, text)
	}
	for _, c := range []struct{ text, want string }{
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k2'\n",
			`FILE:4: listen.key = "DIR/k2": private key does not match`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/half'\nkey = 'DIR/k1'\n",
			`FILE:3: listen.cert = "DIR/half": it ends in the middle`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/none'\nkey = 'DIR/k1'\n",
			`FILE:3: listen.cert = "DIR/none": no such file`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/k1'\nkey = 'DIR/c1'\n",
			`FILE:3: listen.cert = "DIR/k1": no certificate`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\n", `FILE:1: listen.key = "": missing`},
		{"[[listen]]\naddress = ':1'\nkey = 'DIR/c1'\n", `FILE:1: listen.cert = "": missing`},
		{"[[listen]]\naddress = ':1'\nclient_ca = 'DIR/c1'\n", `FILE:1: listen.cert = "": missing`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k1'\nclient_ca = 'DIR/empty'\n",
			`FILE:5: listen.client_ca = "DIR/empty": no certificate`},
		{"[[listen]]\naddress = ':1'\nmin_tls = '1.1'\n",
			`FILE:3: listen.min_tls = "1.1": unknown word; allowed: "", "1.2", "1.3"`},
		{"[[listen]]\naddress = ':1'\nmin_tls = '1.3'\n", `FILE:3: listen.min_tls = "1.3": there is no TLS here`},
		{"[[listen]]\naddress = ':1'\n[[listen]]\naddress = ':2'\nclient_auth = 'required'\n",
			`FILE:5: listen.client_auth = "required": clients are asked for no certificate without client_ca`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k1'\nclient_auth = 'optional'\n",
			`FILE:5: listen.client_auth = "optional": clients are asked for no certificate without client_ca`},
		{"[queue]\nlisten = []\nmin_tls = '1.2'\n", `FILE:3: queue.min_tls = "1.2": there is no TLS here`},
		{"[http]\nclient_auth = 'required'\n", `FILE:2: http.client_auth = "required": clients are asked for no ` +
			`certificate`},
		{"[queue]\ncert = 'DIR/c1'\nkey = 'DIR/k2'\n", `FILE:3: queue.key = "DIR/k2": private key does not match`},
		{"[queue]\ncert = 'DIR/c1'\n", `FILE:2: queue.key = "": missing`},
		{"[http]\ncert = 'DIR/c1'\nkey = 'DIR/empty'\n", `FILE:3: http.key = "DIR/empty": no private key`},
	} {
		got, _ := refused(t, "", strings.ReplaceAll(c.text, "DIR", dir))
		if got = strings.ReplaceAll(got, dir, "DIR"); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// A flag changes an address, and never takes its TLS away.
func TestFlagsKeepTLS(t *testing.T) {
	p, dir := securetest.NewAuthority(t, "authority").Usual("one"), t.TempDir()
	file := fmt.Sprintf("[[listen]]\naddress = ':1'\ncert = '%s'\nkey = '%s'\n",
		securetest.Write(t, dir, "c", p.Cert), securetest.Write(t, dir, "k", p.Key))
	if c, err := load(t, "-p 2", file); err != nil || c.Listen[0].TLS.Certs == nil || c.Listen[0].Address.Port != 2 {
		t.Errorf("-p 2: %v", err)
	}
	if _, err := load(t, "-l 127.0.0.1", file); err == nil || exit.Code(err) != exit.Listen ||
		!strings.Contains(err.Error(), "-l 127.0.0.1: the addresses of the file have TLS") {
		t.Errorf("-l 127.0.0.1: %v", err)
	}
}
