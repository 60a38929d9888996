package transfer

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/jetstream"
	"beanfield/storage/must"
)

// withEngine has the tests run that need the engine itself, as in package jetstream.
var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

// generous is how long a test waits for what must come. It is no verdict on speed.
const generous = 2 * time.Minute

// connected is an engine with two connections, as those of two nodes.
func connected(t *testing.T) (ctx context.Context, sender, receiver *nats.Conn) {
	t.Helper()
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	t.Cleanup(cancel)
	engine := must.Get(jetstream.Start(ctx, jetstream.Options{Dir: t.TempDir(), Cluster: "test", Node: "a",
		Nodes: map[string]string{"a": "127.0.0.1:1"}, Secret: "s"}))
	t.Cleanup(engine.Stop)
	var both [2]*nats.Conn
	for i := range both {
		both[i] = must.Get(engine.Connect())
		t.Cleanup(both[i].Close)
	}
	return ctx, both[0], both[1]
}

// TestOnTheEngine has the connections break again and again, which loses messages (SP2).
func TestOnTheEngine(t *testing.T) {
	ctx, sender, receiver := connected(t)
	dir, into := t.TempDir(), filepath.Join(t.TempDir(), "into")
	table := make([]byte, 20<<20)
	_, _ = rand.Read(table)
	files := map[string]string{}
	for i := range 3 {
		name := fmt.Sprintf("%06d.sst", i)
		files[name] = string(table[i:])
		must.Do(t, os.WriteFile(filepath.Join(dir, name), table[i:], 0o600))
	}
	m := &maker{dir: dir}
	d := must.Get(Serve(sender, "P", m.make, Options{}))
	breaks := 0
	o := Options{Told: func(done, total int64) {
		if done <= int64(breaks+1)*total/8 {
			return
		}
		if breaks++; breaks%2 == 0 {
			_ = sender.ForceReconnect()
		} else {
			_ = receiver.ForceReconnect()
		}
	}}
	_, _, err := Fetch(ctx, receiver, "P", "key", into, o)
	must.Do(t, err)
	wants(t, into, files)
	d.Close()
	if made, removed := m.made.Load(), m.removed.Load(); made == 0 || removed != made || breaks < 5 {
		t.Error(made, "were made,", removed, "removed, after", breaks, "breaks")
	}
}

// SP5 on an engine: the sender vanishes, and is not there, and the own connection is closed.
func TestSenderVanishes(t *testing.T) {
	ctx, sender, receiver := connected(t)
	dir, _ := directory(t, 1)
	into, m := filepath.Join(t.TempDir(), "into"), &maker{dir: dir}
	s := must.Get(Serve(sender, "P", m.make, Options{chunk: 100}))
	o := Options{Told: func(done, _ int64) {
		if done > 0 {
			sender.Close()
		}
	}}
	for range 2 {
		if _, _, err := Fetch(ctx, receiver, "P", "", into, o); !errors.Is(err, ErrSilent) {
			t.Error(err)
		}
		wants(t, into, nil)
	}
	if s.Close(); m.made.Load() != m.removed.Load() {
		t.Error("a snapshot is left")
	}
	receiver.Close()
	if _, _, err := Fetch(ctx, receiver, "P", "", into, o); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error("over a closed connection:", err)
	}
}
