package shipment

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
)

// withEngine has the tests run that need the engine itself, as in package jetstream.
var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

// generous is how long a test waits for what must come. It is no verdict on speed.
const generous = 2 * time.Minute

// connected is an engine with two connections, as those of two nodes.
func connected(t testing.TB) (ctx context.Context, sender, receiver *nats.Conn) {
	t.Helper()
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	t.Cleanup(cancel)
	engine, err := jetstream.Start(ctx, jetstream.Options{Dir: t.TempDir(), Cluster: "test", Node: "a", Nodes: map[string]string{"a": "127.0.0.1:1"}, Secret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Stop)
	var both [2]*nats.Conn
	for i := range both {
		if both[i], err = engine.Connect(); err != nil {
			t.Fatal(err)
		}
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
		if err := os.WriteFile(filepath.Join(dir, name), table[i:], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := &maker{dir: dir}
	d, err := Serve(sender, "P", m.make, Options{})
	if err != nil {
		t.Fatal(err)
	}
	breaks := 0
	o := Options{Silence: generous / 3, Told: func(done, total int64) {
		if done <= int64(breaks+1)*total/8 {
			return
		}
		if breaks++; breaks%2 == 0 {
			_ = sender.ForceReconnect()
		} else {
			_ = receiver.ForceReconnect()
		}
	}}
	if _, err := Order(ctx, receiver, "P", "key", into, o); err != nil {
		t.Fatal(err)
	}
	wants(t, into, files)
	d.Close()
	if made, removed := m.made.Load(), m.removed.Load(); made == 0 || removed != made || breaks < 5 {
		t.Error(made, "were made,", removed, "removed, after", breaks, "breaks")
	}
}

// TestSenderVanishes holds SP5 on an engine.
func TestSenderVanishes(t *testing.T) {
	ctx, sender, receiver := connected(t)
	dir, _ := directory(t, 1)
	into := filepath.Join(t.TempDir(), "into")
	s, err := Offer(sender, "P", dir, Options{chunk: 100})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Silence: time.Second, Told: func(done, _ int64) {
		if done > 0 {
			sender.Close()
		}
	}}
	if _, err := Fetch(ctx, receiver, "P", s.Name, into, o); !errors.Is(err, ErrSilent) {
		t.Error(err)
	}
	wants(t, into, nil)
	s.Close()
	if _, err := Fetch(ctx, receiver, "P", s.Name, into, o); !errors.Is(err, ErrSilent) {
		t.Error("an offer that has ended:", err)
	}
	receiver.Close()
	if _, err := Fetch(ctx, receiver, "P", s.Name, into, o); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error("over a closed connection:", err)
	}
	if _, err := Offer(sender, "P", dir, o); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error("over a closed connection:", err)
	}
}

// BenchmarkFetch is a directory of tables of 64 MB, from one connection of an engine to another one.
func BenchmarkFetch(b *testing.B) {
	for _, size := range []int{64 << 10, defaultChunk, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ctx, sender, receiver := connected(b)
			dir, into := b.TempDir(), b.TempDir()
			table := make([]byte, 64<<20)
			_, _ = rand.Read(table)
			for i := range 8 {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.sst", i)), table, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(8 * int64(len(table)))
			for i := 0; b.Loop(); i++ {
				s, err := Offer(sender, "P", dir, Options{chunk: size})
				if err != nil {
					b.Fatal(err)
				}
				to := filepath.Join(into, fmt.Sprint(i))
				if _, err := Fetch(ctx, receiver, "P", s.Name, to, Options{}); err != nil {
					b.Fatal(err)
				}
				_ = os.RemoveAll(to)
				s.Close()
			}
		})
	}
}
