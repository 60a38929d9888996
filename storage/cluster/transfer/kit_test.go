package transfer

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
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
	random    *rand.Rand
	listeners map[string]func(string, []byte)
	inboxes   int
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
	return "INBOX." + string(rune('a'+n.inboxes))
}

func (n *network) Send(subject, reply string, data []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	number := n.count
	n.count++
	if !strings.HasPrefix(subject, "P.") {
		n.data += len(data)
	}
	if n.dead != nil && n.dead(number, strings.HasPrefix(subject, "P.")) {
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
	if n.speed > 0 && !strings.HasPrefix(subject, "P.") {
		n.free = later(n.free, time.Now()).Add(time.Duration(len(data)) * time.Second / time.Duration(n.speed))
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

func (n *network) hit() bool { return n.random.IntN(100) < n.faults }

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
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
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
func small() Options { return Options{chunk: 700, sync: func(*os.File) error { return nil }} }

// desk is a server on a network.
func (n *network) desk(t *testing.T, m *maker, o Options) *Server {
	t.Helper()
	return must.Get(serve(n, "P", m.make, o))
}

// closes closes a server, and looks whether anything is left.
func (m *maker) closes(t *testing.T, s *Server) {
	t.Helper()
	if s.Close(); m.made.Load() != m.removed.Load() || len(s.orders) > 0 {
		t.Errorf("%d were made, %d removed; %d orders are left", m.made.Load(), m.removed.Load(), len(s.orders))
	}
}
