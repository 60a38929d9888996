package jetstream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"beanfield/storage/must"
)

func alone(t *testing.T) Options {
	return Options{Dir: t.TempDir(), Cluster: "test", Node: "a", Nodes: map[string]string{"a": "127.0.0.1:1"},
		Secret: "s"}
}

// started is an engine with a connection.
func started(t *testing.T, o Options) (*Server, *nats.Conn) {
	t.Helper()
	s, err := Start(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return s, nc
}

// TestOptionsGoThroughTheParser holds E1.
func TestOptionsGoThroughTheParser(t *testing.T) {
	o := alone(t)
	o.Dir += "/with \"quotes\" and \\"
	o.Nodes["b"], o.Nodes["c"] = "127.0.0.1:2", "[::1]:3"
	p, err := o.parsed("x", true)
	if err != nil {
		t.Fatal(err)
	}
	if !p.SyncAlways || !p.NoSigs || p.MaxPayload != MaxPayload || !p.JetStream || p.StoreDir != o.Dir {
		t.Errorf("sync always %v, no signals %v, payload %d, streams %v, directory %q", p.SyncAlways, p.NoSigs,
			p.MaxPayload, p.JetStream, p.StoreDir)
	}
	if p.ServerName != "a" || p.Cluster.Name != "test" || p.Cluster.Port != 1 || len(p.Routes) != 2 ||
		p.Host != "127.0.0.1" {
		t.Errorf("server %q, cluster %+v, routes %v", p.ServerName, p.Cluster, p.Routes)
	}
	if strings.Contains(o.text("x", true), o.Secret+"\"") {
		t.Error("the secret is in the configuration")
	}
}

func TestWrongOptions(t *testing.T) {
	for what, change := range map[string]func(o *Options){
		"a name with a dot": func(o *Options) { o.Nodes["a.b"] = "127.0.0.1:2" },
		"no name":           func(o *Options) { o.Cluster = "" },
		"not in the list":   func(o *Options) { o.Node = "b" },
		"no port":           func(o *Options) { o.Nodes["b"] = "127.0.0.1" },
		"port 0":            func(o *Options) { o.Nodes["b"] = "127.0.0.1:0" },
		"no directory":      func(o *Options) { o.Dir = "" },
		"no secret":         func(o *Options) { o.Secret = "" },
	} {
		o := alone(t)
		if change(&o); !errors.Is(o.check(), ErrOptions) {
			t.Errorf("%s: %v", what, o.check())
		}
	}
}

// TestStopOnce holds E2: whoever stops the engine waits until its files are closed.
func TestStopOnce(t *testing.T) {
	needsEngine(t)
	o := alone(t)
	s, _ := started(t, o)
	engine := s.engine.Load()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			s.Stop()
			if engine.Running() {
				t.Error("it is stopped, and runs")
			}
		})
	}
	wg.Wait()
	started(t, o)
}

// E11: an engine that rests passes on messages and has no streams; when it wakes it has what it had.
func TestRestAndWake(t *testing.T) {
	needsEngine(t)
	s, nc := started(t, alone(t))
	heard := make(chan string, 100)
	must.Get(nc.Subscribe("x", func(m *nats.Msg) { heard <- string(m.Data) }))
	js := must.Get(nc.JetStream())
	must.Get(js.AddStream(&nats.StreamConfig{Name: "kept", Subjects: []string{"kept"}}))
	must.Get(js.Publish("kept", []byte("one")))
	for range 2 {
		must.Do(t, s.Rest(limited(t)))
		until(t, "a message comes", func() bool {
			_ = nc.Publish("x", []byte("rests"))
			return len(heard) > 0
		})
		if s.engine.Load().JetStreamEnabled() {
			t.Error("it has streams")
		}
		must.Do(t, s.Failure())
		must.Do(t, s.Wake(limited(t)))
		until(t, "the record is there", func() bool {
			m, err := js.GetMsg("kept", 1)
			return err == nil && string(m.Data) == "one"
		})
		for len(heard) > 0 {
			<-heard
		}
	}
	s.Stop()
	if err := s.Wake(limited(t)); !errors.Is(err, ErrStopped) {
		t.Error("it wakes after it was stopped:", err)
	}
}

func TestEngineThatCannotStart(t *testing.T) {
	needsEngine(t)
	o := alone(t)
	o.Nodes = addresses("a", "b")
	first, err := Start(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Stop()
	o.Dir = t.TempDir()
	if s, err := Start(limited(t), o); err == nil {
		s.Stop()
		t.Error("two engines have one address")
	} else if errors.Is(err, context.DeadlineExceeded) {
		t.Error("it does not say why:", err)
	}
}

func TestSitesEngine(t *testing.T) {
	needsEngine(t)
	s, _ := started(t, alone(t))
	nc, err := Connect([]string{s.engine.Load().ClientURL()}, nats.UserInfo(engineUser, s.client))
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if _, err := Connect([]string{s.engine.Load().ClientURL()}); err == nil {
		t.Error("the embedded engine lets in who does not know its password")
	}
	for version, ok := range map[string]bool{
		"2.15.2": true, "2.15.3-RC.1": true, "2.16.0": true, "3.0.0": true, "v2.15.10": true,
		"2.15.1": false, "2.14.99": false, "1.99.99": false, "2.15": false, "": false, "new": false,
	} {
		if recent(version) != ok {
			t.Errorf("version %q: %v", version, !ok)
		}
	}
}

// TestFailure holds E10.
func TestFailure(t *testing.T) {
	needsEngine(t)
	s, _ := started(t, alone(t))
	if err := s.Failure(); err != nil {
		t.Error(err)
	}
	if err := s.engine.Load().DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	if err := s.Failure(); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

// TestStreamsOfOthers holds E3.
func TestStreamsOfOthers(t *testing.T) {
	needsEngine(t)
	_, nc := started(t, alone(t))
	o := ShardOptions{Cluster: "test", Replicas: 1, Nodes: []string{"c", "a", "b"}}
	first, err := Open(limited(t), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(limited(t), nc, o)
	if err != nil || again.Origin() != first.Origin() || first.Origin() == 0 {
		t.Fatal(err, "origins", first.Origin(), again.Origin())
	}
	o.Replicas, o.Nodes = 3, []string{"d"} // they count for streams that are made
	if again, err := Open(limited(t), nc, o); err != nil || again.Replicas() != 1 ||
		!slices.Equal(again.Nodes(), []string{"a", "b", "c"}) {
		t.Error(err, again)
	}
	o.Replicas, o.Nodes = 1, []string{"a", "b", "c"}
	for what, change := range map[string]func(c *settings){
		"":                func(c *settings) { c.Metadata["beanfield-later"] = "what nobody knows yet" },
		"another cluster": func(c *settings) { c.Metadata[clusterKey] = "other" },
		"another log":     func(c *settings) { c.Metadata[originKey] = "1234" },
		"no log":          func(c *settings) { delete(c.Metadata, originKey) },
		"another base":    func(c *settings) { c.Metadata[baseKey] = "1234" },
		"no base":         func(c *settings) { delete(c.Metadata, baseKey) },
		"other nodes":     func(c *settings) { c.Metadata[nodesKey] = "a b c d" },
		"more shards":     func(c *settings) { c.Metadata[shardsKey] = "9" },
		"a newer version": func(c *settings) { c.Metadata[protocolKey] = "2" },
		"lazy":            func(c *settings) { c.PersistMode = "async" },
		"limited":         func(c *settings) { c.MaxMsgs = 100 },
		"not direct":      func(c *settings) { c.AllowDirect = false },
		"in memory":       func(c *settings) { c.Storage = nats.MemoryStorage },
		"for ever":        func(c *settings) { c.DenyPurge = true },
	} {
		s := &Shard{nc: nc, streams: first.streams, subjects: first.subjects, shards: first.shards}
		c := s.settings(1, o, first.origin)
		change(&c)
		if err := s.ask(limited(t), "STREAM.DELETE."+s.streams[1], nil, &struct{}{}); err != nil {
			t.Fatal(err)
		}
		if err := s.ask(limited(t), "STREAM.CREATE."+s.streams[1], c, &struct{}{}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := Open(limited(t), nc, o); !errors.Is(err, ErrStream) && (what != "" || err != nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
