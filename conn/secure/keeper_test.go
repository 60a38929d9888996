package secure

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// Files that change are seen within Every; what is wrong with them is logged once for
// each change, and when somebody asks for a reload.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := securetest.NewAuthority(t, "authority")
		one, two := a.Usual("one"), a.Usual("two")
		o := files(t, a, one)
		dir := filepath.Dir(o.Cert)
		c := must.Get(Read(o))
		log := new(must.Text)
		k := NewKeeper(slog.New(slog.NewTextHandler(log, nil)), c)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { k.Watch(ctx); close(ended) }()
		expect := func(name string, words ...string) {
			t.Helper()
			time.Sleep(Every + time.Millisecond)
			synctest.Wait()
			got := log.Take()
			if strings.Count(got, "\n") != min(len(words), 1) {
				t.Errorf("logged:\n%s", got)
			}
			for _, w := range words {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not logged:\n%s", w, got)
				}
			}
			if got := c.current.Load().leaf.Subject.CommonName; got != name {
				t.Errorf("%q is in use, want %q", got, name)
			}
		}
		expect("one")
		securetest.Write(t, dir, "cert.pem", two.Cert)
		expect("one", "level=ERROR", "the old one stays", o.Key, "does not match")
		expect("one")
		k.Reload()
		if got := log.Take(); !strings.Contains(got, "does not match") {
			t.Errorf("a reload that fails logs %q", got)
		}
		securetest.Write(t, dir, "key.pem", two.Key)
		expect("two", "level=INFO", "replaced", o.Cert, "CN=two")
		must.Do(t, os.Remove(o.Key))
		expect("two", "level=ERROR", o.Key, "no such file")
		expect("two")
		securetest.Write(t, dir, "key.pem", two.Key)
		expect("two", "replaced")
		cancel()
		<-ended
	})
}

// A certificate that expires while it is used, or that has expired before, is warned
// of once.
func TestWatchWarnsOfDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := securetest.NewAuthority(t, "authority")
		c := must.Get(Read(files(t, a, a.Issue("short", time.Now().Add(30*time.Second)))))
		old := must.Get(Read(files(t, a, a.Issue("old", time.Now().Add(-time.Minute)))))
		log := new(must.Text)
		k := NewKeeper(slog.New(slog.NewTextHandler(log, nil)), c, old)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { k.Watch(ctx); close(ended) }()
		time.Sleep(Every)
		synctest.Wait()
		if got := log.Take(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "expired") ||
			!strings.Contains(got, old.opts.Cert) {
			t.Errorf("at the start:\n%s", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := log.Take(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, c.opts.Cert) {
			t.Errorf("a minute later:\n%s", got)
		}
		cancel()
		<-ended
	})
}

// At most as many handshakes as there are slots are computed at once, and one that
// pauses has none (T2).
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Certificates{}
		k := NewKeeper(nil, c)
		n := cap(k.slots)
		computing, resume := 0, make(chan struct{})
		var mu sync.Mutex
		for range 3 * n {
			go func() {
				h := c.Begin(func() { t.Error("a handshake is dropped") })
				k.enter(h)
				h.Pause(func() { <-resume })
				mu.Lock()
				if computing++; computing > n {
					t.Errorf("%d handshakes at once", computing)
				}
				mu.Unlock()
				time.Sleep(time.Second) // it computes
				mu.Lock()
				computing--
				mu.Unlock()
				k.leave()
				h.End()
			}()
		}
		synctest.Wait() // all pause: none has a slot
		if len(k.slots) != 0 {
			t.Errorf("%d slots are taken", len(k.slots))
		}
		close(resume)
		synctest.Wait()
		if len(k.slots) != n {
			t.Errorf("%d slots are taken, want %d", len(k.slots), n)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if len(k.slots) != 0 {
			t.Errorf("%d slots are taken at the end", len(k.slots))
		}
	})
}

// Other files, or other options, take the place of what a listener had. If nothing is
// different, the configuration with its keys for session tickets stays.
func TestExchange(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	o := files(t, a, a.Usual("one"))
	c := must.Get(Read(o))
	log := new(must.Text)
	k := NewKeeper(slog.New(slog.NewTextHandler(log, nil)), c)
	before := c.Config()
	exchange := func(o Options) {
		t.Helper()
		read := must.Get(Read(o))
		k.Exchange(c, read)
	}
	exchange(o)
	if c.Config() != before || log.Take() != "" {
		t.Error("the same files are another configuration")
	}
	o.Optional = !o.Optional
	exchange(o)
	if c.Config() == before {
		t.Error("another option changes nothing")
	}
	other := files(t, a, a.Usual("two"))
	exchange(other)
	if got := log.Take(); c.current.Load().leaf.Subject.CommonName != "two" ||
		strings.Count(got, "has been replaced") != 2 {
		t.Errorf("the other files are not in use:\n%s", got)
	}
	securetest.Write(t, filepath.Dir(other.Cert), filepath.Base(other.Cert), []byte("nothing"))
	if k.Reload(); !strings.Contains(log.Take(), other.Cert) {
		t.Error("the other files are not kept up to date")
	}
	exchange(o)
	if k.Reload(); log.Take() == "" || c.wrong != nil {
		t.Errorf("the first files are wrong: %v", c.wrong)
	}
}
