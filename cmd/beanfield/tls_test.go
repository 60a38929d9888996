package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// A certificate, key or authority that cannot be used is a mistake that names the file,
// the key and the reason; then nothing is opened.
func TestTLSMistakes(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	one, two := a.Usual("one"), a.Usual("two")
	dir := t.TempDir()
	for name, text := range map[string][]byte{"c1": one.Cert, "k1": one.Key, "k2": two.Key, "half": one.Cert[:300], "empty": nil} {
		securetest.Write(t, dir, name, text)
	}
	for _, c := range []struct{ text, want string }{
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k2'\n", `FILE:4: listen.key = "DIR/k2": private key does not match`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/half'\nkey = 'DIR/k1'\n", `FILE:3: listen.cert = "DIR/half": it ends in the middle`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/none'\nkey = 'DIR/k1'\n", `FILE:3: listen.cert = "DIR/none": no such file`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/k1'\nkey = 'DIR/c1'\n", `FILE:3: listen.cert = "DIR/k1": no certificate`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\n", `FILE:1: listen.key = "": missing`},
		{"[[listen]]\naddress = ':1'\nkey = 'DIR/c1'\n", `FILE:1: listen.cert = "": missing`},
		{"[[listen]]\naddress = ':1'\nclient_ca = 'DIR/c1'\n", `FILE:1: listen.cert = "": missing`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k1'\nclient_ca = 'DIR/empty'\n", `FILE:5: listen.client_ca = "DIR/empty": no certificate`},
		{"[[listen]]\naddress = ':1'\nmin_tls = '1.1'\n", `FILE:3: listen.min_tls = "1.1": unknown word; allowed: "", "1.2", "1.3"`},
		{"[[listen]]\naddress = ':1'\nmin_tls = '1.3'\n", `FILE:3: listen.min_tls = "1.3": there is no TLS here`},
		{"[[listen]]\naddress = ':1'\n[[listen]]\naddress = ':2'\nclient_auth = 'required'\n", `FILE:5: listen.client_auth = "required": clients are asked for no certificate without client_ca`},
		{"[[listen]]\naddress = ':1'\ncert = 'DIR/c1'\nkey = 'DIR/k1'\nclient_auth = 'optional'\n", `FILE:5: listen.client_auth = "optional": clients are asked for no certificate without client_ca`},
		{"[queue]\nlisten = []\nmin_tls = '1.2'\n", `FILE:3: queue.min_tls = "1.2": there is no TLS here`},
		{"[http]\nclient_auth = 'required'\n", `FILE:2: http.client_auth = "required": clients are asked for no certificate`},
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
	if c, err := load(t, "-p 2", file); err != nil || c.Listen[0].TLS.certs == nil || c.Listen[0].Address.port != 2 {
		t.Errorf("-p 2: %v", err)
	}
	if _, err := load(t, "-l 127.0.0.1", file); err == nil || exitCode(err) != exitListen || !strings.Contains(err.Error(), "-l 127.0.0.1: the addresses of the file have TLS") {
		t.Errorf("-l 127.0.0.1: %v", err)
	}
}

// secureProcess is a process with TLS on all its front ends, and their addresses.
func secureProcess(t testing.TB, a *securetest.Authority, p securetest.Pair, more ...string) (s *process, dir string, addrs [3]string) {
	t.Helper()
	dir = t.TempDir()
	securetest.Write(t, dir, "c", p.Cert)
	securetest.Write(t, dir, "k", p.Key)
	securetest.Write(t, dir, "ca", a.PEM)
	var taken []net.Listener
	for i := range addrs {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		addrs[i] = l.Addr().String()
		taken = append(taken, l)
	}
	closeAll(taken)
	pair := fmt.Sprintf("cert = '%s/c'\nkey = '%[1]s/k'\n", dir)
	config := strings.Join(more, "") + "[[listen]]\naddress = '" + addrs[0] + "'\n" + pair + "client_ca = '" + dir + "/ca'\nclient_auth = 'optional'\n" +
		"[queue]\nlisten = ['" + addrs[1] + "']\n" + pair + "[http]\nlisten = ['" + addrs[2] + "']\n" + pair
	return startProcess(t, "-config", writeConfig(t, config)), dir, addrs
}

// shows is hello, and checks whose certificate that is.
func shows(t *testing.T, addr string, trust *tls.Config, want string) *tls.Conn {
	t.Helper()
	c, name := hello(t, addr, trust)
	if name != want {
		t.Errorf("the certificate of %s is shown, want %s", name, want)
	}
	return c
}

// hello speaks to the beanstalk front end, and returns whose certificate the server shows.
func hello(t *testing.T, addr string, trust *tls.Config) (*tls.Conn, string) {
	t.Helper()
	c := must.Get(tls.Dial("tcp", addr, trust))
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	speak(t, c)
	return c, c.ConnectionState().PeerCertificates[0].Subject.CommonName
}

func speak(t *testing.T, c *tls.Conn) {
	t.Helper()
	must.Get(io.WriteString(c, "list-tube-used\r\n"))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || line != "USING default\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
}

// All front ends speak TLS. New certificates are used after SIGHUP, or by themselves, without a
// connection being lost; a pair that does not fit is logged, and changes nothing.
func TestProcessSpeaksTLS(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	one, two, three := a.Usual("one"), a.Usual("two"), a.Usual("three")
	p, dir, addrs := secureProcess(t, a, one)
	trust := a.Trust()
	early := shows(t, addrs[0], trust, "one")
	web := http.Client{Transport: &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}}
	get := func(url string) (status int, shown string) {
		t.Helper()
		r := must.Get(web.Get(url))
		r.Body.Close()
		return r.StatusCode, r.TLS.PeerCertificates[0].Subject.CommonName
	}
	pages := []string{"https://" + addrs[1] + "/orders/?count=1", "https://" + addrs[2] + "/healthz"}
	shown := func(want string) {
		t.Helper()
		for i, url := range pages {
			if status, name := get(url); status >= 500 || status == 200 != (i == 1) && i == 1 || name != want {
				t.Errorf("%s: %d by %s, want %s", url, status, name, want)
			}
		}
	}
	shown("one")

	securetest.Write(t, dir, "c", two.Cert)
	p.signal(syscall.SIGHUP)
	until(t, "the wrong pair is logged", func() bool { return strings.Contains(p.said(), "does not match") })
	shows(t, addrs[0], trust, "one") // while its key is missing
	securetest.Write(t, dir, "k", two.Key)
	p.signal(syscall.SIGHUP)
	until(t, "the new pair is used", func() bool { _, name := hello(t, addrs[0], trust); return name == "two" })
	shown("two")
	securetest.Write(t, dir, "c", three.Cert)
	securetest.Write(t, dir, "k", three.Key)
	until(t, "the next pair is used without a signal", func() bool { _, name := hello(t, addrs[0], trust); return name == "three" })
	speak(t, early)
	p.stop()
}

// until polls for what nobody tells.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond) // others need the processor, too
	defer again.Stop()
	for end := time.Now().Add(patience); !ok(); <-again.C {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// A process whose files are wrong ends without opening anything; one whose certificate has
// expired warns, also when its configuration is only checked.
func TestProcessChecksCertificates(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	old := a.Issue("old", time.Now().Add(-time.Minute))
	dir := t.TempDir()
	cert, key := securetest.Write(t, dir, "c", old.Cert), securetest.Write(t, dir, "k", old.Key)
	config := writeConfig(t, fmt.Sprintf("[[listen]]\naddress = 'unix:%s/s'\ncert = '%s'\nkey = '%s'\n", dir, cert, key))
	out, err := exec.Command(binary(t), "-config", config, "-check-config").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "has expired") || !strings.Contains(string(out), cert) {
		t.Errorf("%v:\n%s", err, out)
	}
	must.Do(t, os.WriteFile(key, a.Usual("other").Key, 0o600))
	for _, args := range [][]string{{"-config", config, "-check-config"}, {"-config", config}} {
		out, err = exec.Command(binary(t), args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), key) || !strings.Contains(string(out), "listen.key") {
			t.Errorf("%v: %v:\n%s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "s")); err == nil {
		t.Error("a socket has been made")
	}
}
