package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

// The usher says how the node that serves is started, and gives its place to another one when the right one serves.
func TestUsher(t *testing.T) {
	t.Setenv(standsIn, "follows")
	t.Setenv("TMPDIR", t.TempDir())
	config := filepath.Join(t.TempDir(), "config")
	must.Do(t, os.WriteFile(config, []byte("loops = 3"), 0o600))
	r := through{binary: must.Get(os.Executable()), config: config, host: "127.0.0.1",
		port: fmt.Sprint(must.Get(server.FreePort())), queue: "127.0.0.1:7", most: 9}
	ctx, end := context.WithCancel(t.Context())
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- r.usher(ctx, out) }()
	var command []string
	must.Do(t, json.NewDecoder(in).Decode(&command))
	line := strings.Join(command, " ")
	if !strings.HasPrefix(line, r.binary+" -config ") || !strings.HasSuffix(line, " -z 9") {
		t.Error(line)
	}
	dir := filepath.Dir(filepath.Dir(command[2]))
	file := func(name string) string { text, _ := os.ReadFile(filepath.Join(dir, name)); return string(text) }
	must.Until(t, "the other node has its place", func() bool {
		if len(done) > 0 {
			t.Fatal("the usher ended:", <-done)
		}
		return strings.Contains(file("b/config.toml"), "address = '"+r.address()+"'") && strings.Contains(file("b/log"), "in order")
	})
	for _, name := range []string{"a", "b", "c"} {
		if text := file(name + "/config.toml"); !strings.HasPrefix(text, "loops = 3\n") ||
			strings.Contains(text, r.address()) != (name == "b") {
			t.Errorf("%s has %s", name, text)
		}
	}
	end()
	must.Do(t, <-done)
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
}

// A place that is taken is nobody else's, and lets nobody in yet.
func TestPlace(t *testing.T) {
	r := through{host: "127.0.0.1", port: fmt.Sprint(must.Get(server.FreePort()))}
	at := must.Get(r.take())
	if l, err := net.Listen("tcp4", r.address()); err == nil {
		l.Close()
		t.Error("somebody else takes it")
	}
	if _, err := net.Dial("tcp4", r.address()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a client that comes early: %v", err)
	}
	must.Do(t, at.Close())
	must.Get(net.Listen("tcp4", r.address())).Close()
}

// At a gate each side hears what the other says, and how it ends.
func TestGate(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	must.Do(t, server.Certify(cert, key))
	own := must.Get(tls.LoadX509KeyPair(cert, key))
	node := must.Get(tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{own}}))
	defer node.Close()
	l := must.Get(net.Listen("tcp4", "127.0.0.1:0"))
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- gate(ctx, l, node.Addr().String()) }()
	for _, how := range []string{"ends", "resets"} {
		client := must.Get(net.Dial("tcp4", l.Addr().String())).(*net.TCPConn)
		served := must.Get(node.Accept()).(*tls.Conn)
		must.Do(t, served.SetDeadline(time.Now().Add(time.Minute)))
		must.Do(t, client.SetDeadline(time.Now().Add(time.Minute)))
		must.Get(io.WriteString(client, "one\n"))
		if text := must.Get(bufio.NewReader(served).ReadString('\n')); text != "one\n" {
			t.Errorf("%q", text)
		}
		if how == "ends" {
			must.Do(t, client.CloseWrite())
			if n, err := served.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("the client's end: %d, %v", n, err)
			}
			must.Get(io.WriteString(served, "two"))
			must.Do(t, served.Close())
			if text := string(must.Get(io.ReadAll(client))); text != "two" {
				t.Errorf("%q", text)
			}
		} else {
			reset(client)
			if _, err := served.Read(make([]byte, 1)); err == nil || err == io.EOF {
				t.Errorf("the client's reset: %v", err)
			}
			served.Close()
		}
		client.Close()
	}
	end()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
