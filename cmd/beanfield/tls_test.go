package main

import (
	"fmt"
	"net"
	"strings"
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
