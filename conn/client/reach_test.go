package client_test

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"

	"beanfield/conn/client"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// A server with TLS is reached with a configuration of the program's own, and only by who trusts it.
func TestTLS(t *testing.T) {
	a := securetest.NewAuthority(t, "the authority")
	trust := a.Trust(a.Usual("server"))
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", trust))
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go play(c, func(line, _ string) string {
				if line == "delete 7" {
					return "DELETED"
				}
				return "UNKNOWN_COMMAND"
			})
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	config := client.Config{Servers: []string{"beanstalks://localhost:" + port},
		TLS: &tls.Config{RootCAs: trust.RootCAs}}
	c := must.Get(client.Dial(within(t), config))
	defer c.Close()
	must.Do(t, c.Delete(within(t), 7))

	config.TLS = nil // the system's authorities do not know this one
	var unknown *tls.CertificateVerificationError
	if _, err := client.Dial(within(t), config); !errors.As(err, &unknown) {
		t.Errorf("without trust: %v", err)
	}
	if _, err := newPool(t, config, 1).Get(within(t)); !errors.As(err, &unknown) {
		t.Errorf("a pool without trust: %v", err) // at once: trying again does not help
	}
}

// What says that no server can be reached names each server once.
func TestServersThatCannotBeReached(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	free := l.Addr().String()
	must.Do(t, l.Close())
	_, err := client.Dial(within(t), client.Config{Servers: []string{free, "unix:/nowhere/s"}})
	for _, server := range []string{free, "/nowhere/s"} {
		if err == nil || strings.Count(err.Error(), server) != 1 {
			t.Errorf("%s: %v", server, err)
		}
	}
}

// A token is sent first, and one that is refused is no reason to try again.
func TestToken(t *testing.T) {
	var first string
	config := played(func(line, _ string) string {
		switch {
		case line == "auth right":
			return "OK"
		case strings.HasPrefix(line, "auth"):
			return "BAD_FORMAT"
		case first == "":
			first = line
		}
		return "UNKNOWN_COMMAND"
	})
	config.Token = "right"
	must.Do(t, must.Get(client.Dial(within(t), config)).Close())
	if first != "capabilities" {
		t.Errorf("after the token: %q", first)
	}
	for _, token := range []string{"wrong", "two words", "right\r\ndelete 1"} {
		config.Token = token
		if _, err := newPool(t, config, 1).Get(within(t)); err == nil || !strings.Contains(err.Error(), "token") ||
			strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", token, err)
		}
	}
}
