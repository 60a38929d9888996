package jetstream

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/must"
)

// E10: the first line with which the engine gives a stream up is kept; others mean nothing.
func TestLinesOfAFailure(t *testing.T) {
	l := newLines(nil, "a")
	l.Errorf("JetStream stream %q has no leader", "s")
	l.Warnf("Critical write error")
	if l.ill.Load() != nil {
		t.Error("it is ill with", *l.ill.Load())
	}
	for _, line := range []string{"RAFT [x] Critical write error: disk",
		"JetStream stream 'a > b' critical write error: disk"} {
		l.ill.Store(nil)
		l.Errorf("%s", line)
		l.Errorf("Critical write error: later")
		if is := l.ill.Load(); is == nil || (*is).Error() != line {
			t.Errorf("%q: it is ill with %v", line, is)
		}
	}
}

// What is looked for in the engine's lines, the real engine says: that it does not reach another one, is not let
// in, does not trust it, or cannot write any more. Nothing of it is logged every second.
func TestWhatTheEngineSays(t *testing.T) {
	needsEngine(t)
	var log must.Text
	o := alone(t)
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	start := func(node string) *Server {
		o.Node, o.Dir = node, t.TempDir()
		s, _ := started(t, o)
		return s
	}
	links := func(what string, s *Server, node, want string) {
		t.Helper()
		until(t, what, func() bool { return strings.Contains(s.Link(t.Context(), node), want) })
	}
	o.Nodes = addresses("a", "b")
	a := start("a")
	links("b is not there yet", a, "b", "connection refused")
	o.Secret = "another one"
	b := start("b")
	links("b does not let a in", a, "b", "another secret")
	links("a does not let b in", b, "a", "another secret")
	ctx, cancel := context.WithTimeout(limited(t), 200*time.Millisecond) // longer makes no difference
	defer cancel()
	if a.Joined(ctx) == nil {
		t.Error("they are one group")
	}

	o.Nodes = addresses("a", "b")
	o.Cert, o.Key = ownCertificate(t)
	o.CA = o.Cert
	if a = start("a"); !a.Is(t.Context(), o.Nodes["a"]) {
		t.Error("with certificates an engine does not know itself")
	}
	o.Cert, o.Key = ownCertificate(t)
	o.CA = o.Cert
	start("b")
	links("a does not trust b", a, "b", "certificate")

	if n := len(log.Lines("Plaintext")) + len(log.Lines("level=ERROR msg=\"Error trying")); n > 0 {
		t.Errorf("%d lines have too much weight:\n%s", n, log.String())
	}
	for _, words := range []string{notLetIn, otherTLS} {
		if n := len(log.Lines(words)); n < 1 || n > 8 {
			t.Errorf("%d lines say %q", n, words)
		}
	}
}

// E10: an engine whose disk takes nothing any more says so. /dev/full stands for the disk.
func TestEngineThatCannotWrite(t *testing.T) {
	needsEngine(t)
	o := alone(t)
	s, nc := started(t, o)
	js := must.Get(nc.JetStream())
	must.Get(js.AddStream(&nats.StreamConfig{Name: "kept", Subjects: []string{"kept"}}))
	streams := must.Get(filepath.Glob(o.Dir + "/jetstream/*/streams/kept/msgs"))
	must.Do(t, os.Symlink("/dev/full", filepath.Join(streams[0], "2.blk")))
	until(t, "it has failed", func() bool {
		_, _ = js.Publish("kept", make([]byte, 4<<20))
		return errors.Is(s.Failure(), ErrFailed)
	})
	if s.lines.ill.Load() == nil {
		t.Error("no line has said so:", s.Failure())
	}
}

// The words for an address that this machine does not have, one that is taken, and a host that nobody knows.
func TestAddresses(t *testing.T) {
	o := alone(t)
	o.Nodes["b"] = "nobody.invalid:1"
	o.Nodes["a"] = "192.0.2.1:1"
	if err := o.listens(); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(),
		"does not have the address of node a") {
		t.Error(err)
	}
	s := &Server{lines: newLines(nil, "a")}
	s.o.Store(&o)
	if why := s.Link(t.Context(), "b"); !strings.HasPrefix(why, "the host nobody.invalid cannot be looked up: ") {
		t.Errorf("%q", why)
	}
	if why := s.Link(t.Context(), "a"); why != "" {
		t.Errorf("%q", why)
	}
}
