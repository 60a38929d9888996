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

	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// secureProcess is a process with TLS on all its front ends, and their addresses.
func secureProcess(t testing.TB, a *securetest.Authority, p securetest.Pair,
	more ...string) (s *process, dir string, addrs [3]string) {
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
	listeners.CloseAll(taken)
	pair := fmt.Sprintf("cert = '%s/c'\nkey = '%[1]s/k'\n", dir)
	config := strings.Join(more, "") + "[[listen]]\naddress = '" + addrs[0] + "'\n" + pair + "client_ca = '" + dir +
		"/ca'\nclient_auth = 'optional'\n" +
		"[queue]\nlisten = ['" + addrs[1] + "']\n" + pair + "[http]\nlisten = ['" + addrs[2] + "']\n" + pair
	return startProcess(t, "-config", fileWith(t, config)), dir, addrs
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
	until(t, "the next pair is used without a signal", func() bool {
		_, name := hello(t, addrs[0], trust)
		return name == "three"
	})
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
	config := fileWith(t, fmt.Sprintf("[[listen]]\naddress = 'unix:%s/s'\ncert = '%s'\nkey = '%s'\n", dir, cert, key))
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
