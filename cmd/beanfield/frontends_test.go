package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/cmd/beanfield/node"
	"beanfield/conn"
	"beanfield/conn/forward"
	"beanfield/conn/socket"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
)

// If a front end cannot be made, the others end and the log is closed: it can be opened again.
func TestFrontEndThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []func(*config.Config){
		func(c *config.Config) { c.Limits.MaxJobSize = -1 },
		func(c *config.Config) { c.Queue.DeadAfter = -1 },
		func(*config.Config) {},
	} {
		c := configOf(t, "-b "+dir+" -http 127.0.0.1:0 -queue 127.0.0.1:0", "")
		set(c)
		log := slog.New(slog.DiscardHandler)
		f := must.Get(newFronts(c, c.Keeper(log), log))
		r := must.Get(openRouter(t.Context(), c, node.Endless{}, nil, log))
		err := f.open(c, r)
		if broken := c.Limits.MaxJobSize < 0 || c.Queue.DeadAfter < 0; broken != (err != nil) {
			t.Errorf("broken: %v; open answers %v", broken, err)
		}
		if err == nil {
			if err := errors.Join(f.Shutdown(t.Context()), r.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// page asks for a page.
func page(t *testing.T, at, path, token string) (status int, body string) {
	t.Helper()
	if token != "" {
		token = "Bearer " + token
	}
	status, body, _ = request(t, nil, at, "GET", path, token, "")
	return status, body
}

// request asks for something on a connection of its own, to a socket or to an address: over TLS, and says whose
// certificate is shown, if there is somebody to trust.
func request(t *testing.T, trust *tls.Config, at, method, path, login, body string) (status int, answer, by string) {
	t.Helper()
	network, scheme := "tcp", "http"
	if at[0] == '/' {
		network = "unix"
	}
	if trust != nil {
		scheme = "https"
	}
	web := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial(network, at) }}}
	r := must.Get(http.NewRequest(method, scheme+"://localhost"+path, strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/json")
	if login != "" {
		r.Header.Set("Authorization", login)
	}
	a := must.Get(web.Do(r))
	defer a.Body.Close()
	if a.TLS != nil {
		by = a.TLS.PeerCertificates[0].Subject.CommonName
	}
	return a.StatusCode, string(must.Get(io.ReadAll(a.Body))), by
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
		if got, why := page(t, address, path, ""); got != status || !strings.HasPrefix(why, reason) {
			t.Errorf("%s answers %d %q, want %d %q", path, got, why, status, reason)
		}
		if got, _ := page(t, address, "/healthz", ""); got != 200 {
			t.Errorf("/healthz answers %d", got)
		}
	}
	const ready, putReady = "/readyz", "/readyz?put=1"
	expect(ready, 503, "recovering")
	var stats atomic.Pointer[storage.LogStats]
	stats.Store(&storage.LogStats{})
	r := must.Get(router.New(router.Options{Shards: 2, Store: sickStore{storage.Memory(), &stats}}))
	must.Do(t, f.open(c, r))
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

// stuck is a host that takes nobody, and says so when it is closed.
type stuck chan struct{}

func (s stuck) Take(forward.Entrance, int, *conn.Peer, <-chan struct{}) error {
	<-s
	return errors.New("it was stuck")
}

// pair is a client's socket, and the other end of it.
func pair(t *testing.T) (near int, far net.Conn) {
	two := must.Get(socket.Pair())
	file := os.NewFile(uintptr(two[1]), "client")
	defer file.Close()
	far = must.Get(net.FileConn(file))
	t.Cleanup(func() { far.Close() })
	far.SetDeadline(time.Now().Add(patience))
	return two[0], far
}

// When a term is lost, its clients are cut before anything that waits for somebody: here for a loop of the forwarder.
func TestLostTermCutsFirst(t *testing.T) {
	c, log := configOf(t, "-queue 127.0.0.1:0", "shards = 1"), slog.New(slog.DiscardHandler)
	f := must.Get(newFronts(c, c.Keeper(log), log))
	f.passing = &passing{forwarder: must.Get(forward.New(forward.Options{Wait: time.Hour, Loops: 1,
		Cluster: forward.Cluster{Name: "c", Secret: "s"}, Left: f.acceptor.Left}))}
	r := must.Get(router.New(router.Options{Shards: 1, Store: storage.Memory()}))
	must.Do(t, f.open(c, r))
	s := f.now.Load()
	var clients []net.Conn
	for _, front := range []conn.FrontEnd{s.beanstalk, s.queue.Over(&net.TCPAddr{}, nil)} {
		near, far := pair(t)
		f.acceptor.Admit(front, near, &conn.Peer{}, nil)
		clients = append(clients, far)
	}
	host := make(stuck)
	f.passing.forwarder.Local(host)
	near, _ := pair(t)
	f.acceptor.Admit(f.passing.forwarder.Over(forward.Entrance{}), near, &conn.Peer{}, nil)
	lost, left := make(chan struct{}), make(chan error)
	close(lost)
	go func() { left <- f.Leave(lost) }()
	for _, far := range clients {
		if n, err := far.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	close(host)
	must.Do(t, <-left)
	must.Do(t, errors.Join(f.Shutdown(t.Context()), r.Close()))
}
