package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// frontNames are the front ends in the order of secureProcess.
var frontNames = [3]string{listeners.Beanstalk, listeners.Queue, listeners.Admin}

// reach connects to a front end, and says what comes first.
func reach(t *testing.T, addr, first string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", addr))
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	must.Get(io.WriteString(c, first))
	return c
}

// Each front end tells who speaks to its TLS address without TLS that this is wrong, and then
// closes.
func TestPlainTextToTLS(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	_, _, addrs := secureProcess(t, a, a.Usual("one"), "")
	for i, want := range []string{"BAD_FORMAT\r\n", "HTTP/1.1 400 ", "HTTP/1.1 400 "} {
		for _, text := range []string{"stats\r\n", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
			got, _ := io.ReadAll(reach(t, addrs[i], text)) // a reset may follow, for what the server has not read
			if !strings.HasPrefix(string(got), want) || strings.Contains(string(got), "beanfield_") {
				t.Errorf("%s: %q is answered %q", frontNames[i], text, got)
			}
		}
	}
}

// A client that speaks TLS to an address without it sees soon that it is wrong, and the
// server has nothing left of it.
func TestTLSToPlainText(t *testing.T) {
	addrs := [3]string{freeAddress(t), freeAddress(t), freeAddress(t)}
	host, port, _ := strings.Cut(addrs[0], ":")
	p := startProcess(t, "-l", host, "-p", port, "-queue", addrs[1], "-http", addrs[2])
	trust := securetest.NewAuthority(t, "authority").Trust()
	for i, addr := range addrs {
		nc := reach(t, addr, "")
		err := tls.Client(nc, trust).Handshake()
		var header tls.RecordHeaderError
		if !errors.As(err, &header) {
			t.Errorf("%s: %v", frontNames[i], err)
		}
		nc.Close()
	}
	p.dial(addrs[0]).until("current-connections", "1")
	if got := p.problems(); got != "" {
		t.Errorf("logged:\n%s", got)
	}
}

// On each front end, clients that stop in the middle of their handshakes are sent away by those
// who come later, so that nobody is kept out; the metrics count them.
func TestHalfHandshakesMakeRoom(t *testing.T) {
	const most, each = 4, 10
	a := securetest.NewAuthority(t, "authority")
	_, _, addrs := secureProcess(t, a, a.Usual("one"),
		fmt.Sprintf("[limits]\nhandshakes = %d\nhandshake_timeout = '1h'\n", most))
	trust := a.Trust()
	web := http.Client{Transport: &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}}
	var halves []net.Conn
	for i := range each {
		for _, addr := range addrs {
			halves = append(halves, reach(t, addr, []string{"", "\x16\x03\x01", "\x16\x03\x01\x01\x00\x01\x00"}[i%3]))
		}
	}
	until(t, "all but the latest are sent away", func() bool {
		halves = slices.DeleteFunc(halves, func(nc net.Conn) bool {
			nc.SetReadDeadline(time.Now().Add(time.Millisecond))
			_, err := nc.Read(make([]byte, 1))
			var ne net.Error
			return !errors.As(err, &ne) || !ne.Timeout()
		})
		return len(halves) <= most
	})
	hello(t, addrs[0], trust)
	for _, url := range []string{"https://" + addrs[1] + "/orders/?count=1", "https://" + addrs[2] + "/healthz"} {
		r := must.Get(web.Get(url))
		r.Body.Close()
	}
	r := must.Get(web.Get("https://" + addrs[2] + "/metrics"))
	text, _ := io.ReadAll(r.Body)
	var dropped int
	if _, line, ok := strings.Cut(string(text), "\nbeanfield_tls_handshakes_total{outcome=\"dropped\"} "); ok {
		fmt.Sscan(line, &dropped)
	}
	if least := 3*each - most; dropped < least {
		t.Errorf("%d are dropped, want at least %d", dropped, least)
	}
}

// Files that go wrong while the process runs change nothing, however they are wrong, and the
// log says what is wrong with which.
func TestReloadOfWrongFiles(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	one, two, old := a.Usual("one"), a.Usual("two"), a.Issue("old", time.Now().Add(-time.Minute))
	p, dir, addrs := secureProcess(t, a, one, "")
	trust := a.Trust()
	for _, c := range []struct {
		cert, key []byte
		said      string
	}{
		{two.Cert[:len(two.Cert)/2], two.Key, "it ends in the middle of a PEM block"},
		{two.Cert, two.Key[:len(two.Key)/2], "it ends in the middle of a PEM block"},
		{two.Cert, one.Key, "private key does not match"},
		{two.Key, two.Cert, "no certificate in it"},
		{nil, nil, "no certificate in it"},
		{old.Cert, old.Key, "it has expired"},
	} {
		securetest.Write(t, dir, "c", c.cert)
		securetest.Write(t, dir, "k", c.key)
		has(t, p.reads(), c.said)
		shows(t, addrs[0], trust, "one")
	}
	securetest.Write(t, dir, "c", two.Cert)
	securetest.Write(t, dir, "k", two.Key)
	p.reads()
	shows(t, addrs[0], trust, "two")
}
