package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage/must"
)

// Reloads beside clients of all front ends, with one file and another, and to the end.
func TestReloadsBesideClients(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.toml")
	texts := []string{"limits.max_job_size = 100\nmetrics.max_tubes = 1\nqueue.max_length = 1000000\n",
		"limits.max_job_size = 50\nhttp.hosts = ['a.b']\nqueue.for = [{ match = 'a', max_idle = '1s' }]\nlog.level = 'error'\n" +
			fmt.Sprintf("access = [{ uid = %d, may = 'admin' }]\n", os.Getuid())}
	write := func(n int) {
		if err := os.WriteFile(path+".new", []byte(texts[n%2]), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	write(0)
	f := must.Get(config.ParseFlags([]string{"-config", path, "-l", "unix:" + dir + "/s", "-http", "unix:" + dir + "/h",
		"-queue", "unix:" + dir + "/q"}))
	d := &daemon{flags: f, end: func(int) {}}
	d.config = must.Get(config.Load(f))
	d.log, d.garbage = newLogger(&bytes.Buffer{}, d.config, &d.level), &bounds{}
	sig, end := stoppable(t)
	ended := make(chan error, 1)
	go func() { ended <- d.run(sig) }()
	must.Until(t, "it serves", func() bool { // a socket is bound before anybody can connect
		for _, name := range []string{"/s", "/h", "/q"} {
			c, err := net.Dial("unix", dir+name)
			if err != nil {
				return false
			}
			c.Close()
		}
		return true
	})
	for n := range 300 {
		write(n)
		ask(sig.reload)
		if n%30 == 0 {
			work(t, dir)
		}
	}
	end()
	ask(sig.reload)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// stoppable are signals that a test sends.
func stoppable(t *testing.T) (*signals, func()) {
	ctx, end := context.WithCancel(t.Context())
	return newSignals(ctx), end
}

// work has one client at each front end do something.
func work(t *testing.T, dir string) {
	t.Helper()
	c := must.Get(net.Dial("unix", dir+"/s"))
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	for _, want := range []string{"INSERTED", "FOUND", "OK"} {
		fmt.Fprintf(c, "%s\r\n", map[string]string{"INSERTED": "put 0 0 1 1\r\nx", "FOUND": "peek-ready",
			"OK": "stats"}[want])
		b := make([]byte, 10000)
		if k, err := c.Read(b); !strings.HasPrefix(string(b[:k]), want) {
			t.Fatalf("%q, %v; want %s", b[:k], err, want)
		}
	}
	if status, _, _ := request(t, nil, dir+"/q", "POST", "/api/predict/a", "", "x"); status != http.StatusOK {
		t.Errorf("a put is answered %d", status)
	}
	if status, _ := page(t, dir+"/h", "/metrics", ""); status != http.StatusOK {
		t.Errorf("a scrape is answered %d", status)
	}
}
