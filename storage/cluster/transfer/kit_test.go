package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

// network is a link that has one queue for each listener. What it does to a message is by chance, from a
// seed. It belongs into a bubble of testing/synctest.
type network struct {
	faults int // of a hundred messages, so many are lost, doubled, delayed or damaged each
	dead   func(message int, toSender bool) bool

	speed    int           // bytes per second to the receiver; 0: any
	distance time.Duration // each way
	free     time.Time     // when the last message is through

	taking    sync.Mutex // as one goroutine would
	mu        sync.Mutex
	listeners map[string]func(string, []byte)
	inboxes   int
	random    *rand.Rand
	count     int // messages so far
	data      int // bytes to the receiver
	flight    int // bytes that have not arrived
	most      int
}

func newNetwork(seed uint64) *network {
	return &network{random: rand.New(rand.NewPCG(seed, 1)), listeners: map[string]func(string, []byte){}}
}

func (n *network) Listen(subject string, take func(string, []byte)) (func(), error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[subject] = take
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, subject)
	}, nil
}

// sent is how many messages were sent.
func (n *network) sent() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

func (n *network) Inbox() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inboxes++
	return fmt.Sprint("INBOX.", n.inboxes)
}

func (n *network) Send(subject, reply string, data []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	number, toSender := n.count, strings.HasPrefix(subject, "P.")
	n.count++
	if !toSender {
		n.data += len(data)
	}
	if n.dead != nil && n.dead(number, toSender) {
		return nil
	}
	times, delay, data := 1, time.Millisecond+time.Duration(number), bytes.Clone(data) // no two arrive at once
	switch {
	case n.hit():
		return nil
	case n.hit():
		times = 2
	case n.hit():
		delay += time.Duration(n.random.IntN(2000)) * time.Millisecond
	case n.hit():
		data[n.random.IntN(len(data))] ^= 1 << n.random.IntN(8)
	}
	if n.speed > 0 && !toSender {
		if n.free.Before(time.Now()) {
			n.free = time.Now()
		}
		n.free = n.free.Add(time.Duration(len(data)) * time.Second / time.Duration(n.speed))
		delay += time.Until(n.free)
	}
	delay += n.distance
	for range times {
		delay += time.Millisecond / 2
		n.flight += len(data)
		n.most = max(n.most, n.flight)
		time.AfterFunc(delay, func() { n.arrive(subject, reply, data) })
	}
	return nil
}

func (n *network) arrive(subject, reply string, data []byte) {
	n.mu.Lock()
	n.flight -= len(data)
	take := n.listeners[subject]
	n.mu.Unlock()
	if take != nil {
		n.taking.Lock()
		defer n.taking.Unlock()
		take(reply, data)
	}
}

func (n *network) hit() bool { return n.random.IntN(100) < n.faults }

// directory makes one with files, some of them empty, and says what is in it.
func directory(t testing.TB, seed uint64) (dir string, files map[string]string) {
	t.Helper()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(seed, 2))
	files = map[string]string{}
	for i, name := range []string{"000001.sst", "000002.sst", "MANIFEST-000003", "OPTIONS-000004", "a", "b", "c", "log",
		"mark", "x", "zero"} {
		b := make([]byte, random.IntN(3000)*(i%3))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
		files[name] = string(b)
	}
	return dir, files
}

// contents is what is in a directory; nothing, if it is not there.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files := map[string]string{}
	for _, e := range entries {
		files[e.Name()] = string(must.Get(os.ReadFile(filepath.Join(dir, e.Name()))))
	}
	return files
}

// wants has a directory be whole, or not be there, and no partial one.
func wants(t testing.TB, into string, files map[string]string) {
	t.Helper()
	if got := contents(t, into); !maps.Equal(got, files) || (got == nil) != (files == nil) {
		t.Errorf("of %d files, %d are there, or they are others", len(files), len(got))
	}
	if contents(t, Partial(into)) != nil {
		t.Error("a part of it was left")
	}
}

// maker makes the same snapshot for every order, and counts.
type maker struct {
	dir     string
	takes   time.Duration
	fails   error
	made    atomic.Int32
	removed atomic.Int32
}

func (m *maker) make(ctx context.Context, key string) (string, []byte, func(), error) {
	select {
	case <-ctx.Done():
		return "", nil, nil, ctx.Err()
	case <-time.After(m.takes):
	}
	if m.fails != nil {
		return "", nil, nil, m.fails
	}
	m.made.Add(1)
	return m.dir, []byte("note of " + key), func() { m.removed.Add(1) }, nil
}

// small has many chunks in a small directory, and no power cuts.
func small() Options {
	return Options{chunk: 700, rate: 1 << 40, sync: func(*os.File) error { return nil }}
}

// scene is a sender and a receiver, a network between them, and a directory with files.
type scene struct {
	*testing.T
	*network
	*maker
	o      Options // the receiver's
	server *Server
	files  map[string]string
	into   string
}

// play has something happen in a scene, on a clock of its own. In the end nothing may be left.
func play(t *testing.T, seed uint64, sender func(*scene) Options, what func(*scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{T: t, network: newNetwork(seed), maker: &maker{}, o: small(), into: filepath.Join(t.TempDir(),
			"into")}
		s.dir, s.files = directory(t, seed)
		s.server = must.Get(serve(s.network, "P", s.make, sender(s)))
		what(s)
		if s.server.Close(); s.made.Load() != s.removed.Load() || len(s.server.orders)+len(s.listeners) > 0 {
			t.Errorf("%d were made, %d removed; %d orders and %d listeners are left", s.made.Load(), s.removed.Load(),
				len(s.server.orders), len(s.listeners))
		}
	})
}

func usual(*scene) Options { return small() }

// get fetches, and looks what is there.
func (s *scene) get(ctx context.Context) (note string, bytes int64, err error) {
	s.Helper()
	text, bytes, err := get(ctx, s.network, "P", "shard 3", s.into, s.o)
	if err != nil {
		wants(s, s.into, nil)
	} else {
		wants(s, s.into, s.files)
	}
	return string(text), bytes, err
}

// size is how many bytes the files have.
func (s *scene) size() (bytes int) {
	for _, text := range s.files {
		bytes += len(text)
	}
	return bytes
}
