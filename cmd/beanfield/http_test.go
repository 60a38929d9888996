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
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
)

// page asks for a page.
func page(t *testing.T, network, address, path, token string) (status int, body string) {
	t.Helper()
	if token != "" {
		token = "Bearer " + token
	}
	return request(t, network, address, "GET", path, token, "")
}

// request asks for something on a connection of its own.
func request(t *testing.T, network, address, method, path, login, body string) (status int, answer string) {
	t.Helper()
	web := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial(network, address) }}}
	r := must.Get(http.NewRequest(method, "http://localhost"+path, strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/json")
	if login != "" {
		r.Header.Set("Authorization", login)
	}
	a := must.Get(web.Do(r))
	defer a.Body.Close()
	b := must.Get(io.ReadAll(a.Body))
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
	c := configOf(t, "-http 127.0.0.1:0", "shards = 2")
	log := slog.New(slog.DiscardHandler)
	ls := must.Get(listeners.For(t.Context(), listeners.Admin, c.HTTP.Listen, config.Permissions{}, nil, log))
	f := must.Get(newFronts(c, c.Keeper(log), log))
	f.begin(ls)
	address := ls[0].Addr().String()
	expect := func(path string, status int, reason string) {
		t.Helper()
		if got, why := page(t, "tcp", address, path, ""); got != status || !strings.HasPrefix(why, reason) {
			t.Errorf("%s answers %d %q, want %d %q", path, got, why, status, reason)
		}
		if got, _ := page(t, "tcp", address, "/healthz", ""); got != 200 {
			t.Errorf("/healthz answers %d", got)
		}
	}
	const ready, putReady = "/readyz", "/readyz?put=1"
	expect(ready, 503, "recovering")
	var stats atomic.Pointer[storage.LogStats]
	stats.Store(&storage.LogStats{})
	r := must.Get(router.New(router.Options{Shards: 2, Store: sickStore{storage.Memory(), &stats}}))
	must.Do(t, f.open(c, r, log))
	expect(putReady, 200, "ok\nputs: accepted\n")
	stats.Store(&storage.LogStats{Full: true})
	expect(ready, 200, "ok\nputs: disk space is low")
	expect(putReady, 503, "disk space is low")
	stats.Store(&storage.LogStats{Err: errors.New("it broke"), Full: true})
	expect(ready, 503, "a log has failed: it broke\n")
	expect(putReady, 503, "a log has failed: it broke\ndisk space is low")
	stats.Store(&storage.LogStats{})
	expect(ready, 200, "ok\nputs: accepted\n")
	f.Drain()
	expect(ready, 200, "ok\nputs: draining")
	expect(putReady, 503, "draining")
	expect("/readyz?put=yes", 400, "put must be 0 or 1")
	if err := f.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(<-f.early[ls[0]], r.Close()); err != nil {
		t.Error(err)
	}
	if got := f.health.problems(); len(got) != 1 || got[0] != "stopping" {
		t.Errorf("when it stops its problems are %q", got)
	}
}

// A start that fails, or is broken off, leaves nobody on the HTTP side.
func TestAbandonedStart(t *testing.T) {
	c := configOf(t, "-http 127.0.0.1:0", "")
	log := slog.New(slog.DiscardHandler)
	ls := must.Get(listeners.For(t.Context(), listeners.Admin, c.HTTP.Listen, config.Permissions{}, nil, log))
	f := must.Get(newFronts(c, c.Keeper(log), log))
	f.begin(ls)
	silent := must.Get(net.Dial("tcp", ls[0].Addr().String()))
	defer silent.Close()
	if err := f.abandon(); err != nil || f.acceptor.Open() != 0 {
		t.Errorf("%v, %d are left", err, f.acceptor.Open())
	}
}

// The process has the settings of [http], and SIGUSR1 makes it refuse jobs.
func TestProcessHTTP(t *testing.T) {
	p, _ := configured(t, "http.listen = ['unix:DIR/h']\nhttp.mode = '0620'\nhttp.tokens = ['secret']\nhttp.pprof = "+
		"true\n", "-l", "unix:DIR/s")
	if info, err := os.Stat(p.dir + "/h"); err != nil || info.Mode().Perm() != 0o620 ||
		info.Mode().Type() != fs.ModeSocket {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	for _, c := range []struct {
		path, token string
		status      int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 200}, {"/debug/pprof/cmdline", "", 401}, {"/debug/pprof/cmdline",
			"secret", 200},
	} {
		if status, body := page(t, "unix", p.dir+"/h", c.path, c.token); status != c.status {
			t.Errorf("%s with %q: %d %q, want %d", c.path, c.token, status, body, c.status)
		}
	}
	p.signal(syscall.SIGUSR1)
	p.client().until("draining", "true")
	if status, body := page(t, "unix", p.dir+"/h", "/readyz?put=1", ""); status != 503 ||
		!strings.Contains(body, "draining") {
		t.Errorf("while it drains /readyz?put=1 is %d %q", status, body)
	}
	p.stop()
}

// A web page's request is refused by every listener but the one that says it may come.
func TestProcessRefusesHTTP(t *testing.T) {
	p, _ := configured(t, "listen = [{ address = 'unix:DIR/s' }, { address = 'unix:DIR/login', login = true }, { "+
		"address = 'unix:DIR/http', refuse_http = false }]\n")
	for _, name := range []string{"/s", "/login"} {
		c := p.dial(p.dir + name)
		c.send("POST / HTTP/1.1\r\nHost: queue\r\n\r\nput 0 0 1 1\r\nx")
		if all, _ := io.ReadAll(c.r); len(all) > 0 { // the end, or a reset
			t.Errorf("%s: answered %q", name, all)
		}
	}
	has(t, p.said(), "a client spoke HTTP", "from=\"unix, uid ")
	c := p.dial(p.dir + "/http")
	c.expect("POST / HTTP/1.1", "UNKNOWN_COMMAND")
	c.expect("Host: queue", "UNKNOWN_COMMAND")
	c.expect("put 0 0 1 1\r\nx", "INSERTED 1")
}
