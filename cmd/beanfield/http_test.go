package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/router"
	"beanfield/storage"
)

// page asks for a page on a connection of its own.
func page(t *testing.T, network, address, path, token string) (status int, body string) {
	t.Helper()
	web := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial(network, address) }}}
	r, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := web.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(b)
}

// sickStore keeps nothing, and its logs say what a test wants.
type sickStore struct {
	storage.Store
	stats *atomic.Pointer[storage.LogStats]
}

type sickLog struct {
	storage.Log
	stats *atomic.Pointer[storage.LogStats]
}

func (l sickLog) Stats() storage.LogStats { return *l.stats.Load() }

func (s sickStore) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := s.Store.Open(n, shardOf)
	for i := range logs {
		logs[i] = sickLog{logs[i], s.stats}
	}
	return logs, err
}

// The HTTP side answers from before the recovery until the end, and says at each step
// whether clients can work.
func TestHealthFromStartToEnd(t *testing.T) {
	c, err := load(t, "-http 127.0.0.1:0", "shards = 2")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	ls, err := listenFor(t.Context(), frontAdmin, c.HTTP.Listen, Permissions{}, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFronts(c, c.keeper(log), log)
	if err != nil {
		t.Fatal(err)
	}
	f.begin(ls)
	address := ls[0].Addr().String()
	expect := func(status int, reason string) {
		t.Helper()
		if got, why := page(t, "tcp", address, "/readyz", ""); got != status || !strings.HasPrefix(why, reason) {
			t.Errorf("/readyz answers %d %q, want %d %q", got, why, status, reason)
		}
		if got, _ := page(t, "tcp", address, "/healthz", ""); got != 200 {
			t.Errorf("/healthz answers %d", got)
		}
	}
	expect(503, "recovering")
	var stats atomic.Pointer[storage.LogStats]
	stats.Store(&storage.LogStats{})
	r, err := router.New(router.Options{Shards: 2, Store: sickStore{storage.Memory(), &stats}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.open(c, r, log); err != nil {
		t.Fatal(err)
	}
	expect(200, "ok\n")
	stats.Store(&storage.LogStats{Full: true})
	expect(503, "disk space is low")
	stats.Store(&storage.LogStats{Err: errors.New("it broke"), Full: true})
	expect(503, "a log has failed: it broke\ndisk space is low")
	stats.Store(&storage.LogStats{})
	expect(200, "ok\n")
	f.Drain()
	expect(503, "draining")
	if err := f.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(f.Serve(ls[0]), r.Close()); err != nil {
		t.Error(err)
	}
	if got := f.health.problems(); len(got) != 1 || got[0] != "stopping" {
		t.Errorf("when it stops its problems are %q", got)
	}
}

// A start that fails, or is broken off, leaves nobody on the HTTP side.
func TestAbandonedStart(t *testing.T) {
	c, err := load(t, "-http 127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	ls, err := listenFor(t.Context(), frontAdmin, c.HTTP.Listen, Permissions{}, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFronts(c, c.keeper(log), log)
	if err != nil {
		t.Fatal(err)
	}
	f.begin(ls)
	silent, err := net.Dial("tcp", ls[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := f.abandon(); err != nil || f.acceptor.Open() != 0 {
		t.Errorf("%v, %d are left", err, f.acceptor.Open())
	}
}

// The process has the settings of [http], and SIGUSR1 makes it not ready.
func TestProcessHTTP(t *testing.T) {
	p := prepare(t, "-l", "unix:DIR/s", "-config", "DIR/c.toml")
	config := "http.listen = ['unix:" + p.dir + "/h']\nhttp.mode = '0620'\nhttp.tokens = ['secret']\nhttp.pprof = true\n"
	if err := os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start()
	if info, err := os.Stat(p.dir + "/h"); err != nil || info.Mode().Perm() != 0o620 || info.Mode().Type() != fs.ModeSocket {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	for _, c := range []struct {
		path, token string
		status      int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 200}, {"/debug/pprof/cmdline", "", 401}, {"/debug/pprof/cmdline", "secret", 200},
	} {
		if status, body := page(t, "unix", p.dir+"/h", c.path, c.token); status != c.status {
			t.Errorf("%s with %q: %d %q, want %d", c.path, c.token, status, body, c.status)
		}
	}
	p.signal(syscall.SIGUSR1)
	p.dial(p.dir+"/s").until("draining", "true")
	if status, body := page(t, "unix", p.dir+"/h", "/readyz", ""); status != 503 || !strings.Contains(body, "draining") {
		t.Errorf("while it drains /readyz is %d %q", status, body)
	}
	p.signal(syscall.SIGTERM)
	p.ends(0)
}

func TestHTTPMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[http]\nlisten = ':1'": "http.listen", "[http]\nmode = 660": "http.mode", "[http]\npprof = 1": "true, false",
		"[http]\ntoken = 'x'": "unknown key", "http = 1": "a table, [http], with listen, mode, group, tokens, hosts, pprof",
	} {
		if _, err := load(t, "", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something with %q", text, err, want)
		}
	}
	if _, err := load(t, "-http x", ""); err == nil || exitCode(err) != exitListen {
		t.Errorf("-http x: %v", err)
	}
}
