package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// /metrics says when each certificate expires, once for each front end and file, and follows a
// reload. What stays in use because the new files are wrong, or because TLS cannot be turned
// off, stays in the metrics too.
func TestCertificateExpiry(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	p, dir, addrs := secureProcess(t, a, a.Usual("one"))
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: a.Trust(), DisableKeepAlives: true}}
	expiries := func() map[string]time.Duration {
		t.Helper()
		r := must.Get(trusting.Get("https://" + addrs[2] + "/metrics"))
		defer r.Body.Close()
		text := must.Get(io.ReadAll(r.Body))
		found := map[string]time.Duration{}
		for _, m := range regexp.MustCompile(`(?m)^beanfield_tls_certificate_expiry_seconds\{face="([^"]+)",file="(.*)"\} (\S+)$`).FindAllSubmatch(text, -1) {
			seconds, err := strconv.ParseFloat(string(m[3]), 64)
			if err != nil {
				t.Error(err)
			}
			found[string(m[1])+strings.TrimPrefix(string(m[2]), dir)] = time.Duration(
				seconds * float64(time.Second)).Round(time.Hour)
		}
		return found
	}
	same := func(want string) {
		t.Helper()
		if got := fmt.Sprint(expiries()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	same("map[beanstalk/c:1h0m0s http/c:1h0m0s queue service/c:1h0m0s]")
	console := must.Get(trusting.Get("https://" + addrs[2] + "/api/v1/server"))
	defer console.Body.Close()
	if text := must.Get(io.ReadAll(console.Body)); strings.Count(string(text), `"ends":`) != 3 {
		t.Errorf("the console is told %s", text)
	}
	long := a.Issue("two", time.Now().Add(20*time.Hour))
	securetest.Write(t, dir, "c2", long.Cert)
	securetest.Write(t, dir, "k2", long.Key)
	text := must.Get(os.ReadFile(p.Args[2]))
	write := func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(p.Args[2], []byte(text), 0o600))
	}
	another := strings.NewReplacer("/c'", "/c2'", "/k'", "/k2'")
	head, tail, _ := strings.Cut(string(text), "[queue]")
	write(another.Replace(head) + "[queue]" + tail)
	p.reads()
	same("map[beanstalk/c2:20h0m0s http/c:1h0m0s queue service/c:1h0m0s]")
	write("[[listen]]\naddress = '" + addrs[0] + "'\n[queue]" + tail)
	has(t, p.reads(), "needs a restart")
	same("map[beanstalk/c2:20h0m0s http/c:1h0m0s queue service/c:1h0m0s]")
}

// The chain ends with the first of its certificates that does.
func TestExpiryOfChain(t *testing.T) {
	a, dir := securetest.NewAuthority(t, "authority"), t.TempDir()
	leaf, between := a.Issue("leaf", time.Now().Add(9*time.Hour)), a.Issue("between", time.Now().Add(3*time.Hour))
	file := fmt.Sprintf("[[listen]]\naddress = ':1'\ncert = '%s'\nkey = '%s'\n[[listen]]\naddress = ':2'\ncert = "+
		"'%[1]s'\nkey = '%[2]s'\n",
		securetest.Write(t, dir, "c", append(leaf.Cert, between.Cert...)), securetest.Write(t, dir, "k", leaf.Key))
	c := configOf(t, "", file)
	all := expiries(c)
	if len(all) != 1 || time.Until(all[0].Ends).Round(time.Hour) != 3*time.Hour {
		t.Errorf("%v", all)
	}
}
