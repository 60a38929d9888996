package queueservice

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

const patience = must.Patience

// desk answers in place of the shards. It notes what is asked.
type desk struct {
	mu     sync.Mutex
	asked  []queue.Op
	answer func(*queue.Op) // nil: everything is answered OK, and nothing is found
	change chan struct{}   // closed at the next operation
	most   int             // operations that were asked at once
}

func (d *desk) Ask(op *queue.Op) {
	d.mu.Lock()
	answer := d.answer
	d.mu.Unlock()
	op.Status = queue.OK
	if answer != nil {
		answer(op)
	}
	noted := *op
	ask := *op.Ask
	noted.Ask = &ask
	noted.Data = bytes.Join(append([][]byte{op.Data}, op.Parts...), nil)
	ask.Spent = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, noted)
	if d.change != nil {
		close(d.change)
		d.change = nil
	}
}

func (d *desk) AskAll(ops []queue.Op) {
	d.mu.Lock()
	d.most = max(d.most, len(ops))
	d.mu.Unlock()
	for i := range ops {
		d.Ask(&ops[i])
	}
}

// forget forgets what has been asked.
func (d *desk) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = nil
}

// nothing makes sure that nothing has been asked since it was last forgotten.
func (d *desk) nothing(t testing.TB) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) > 0 {
		t.Errorf("%d operations are asked, first %+v", len(d.asked), d.asked[0].Ask)
	}
}

// replies has further operations answered in another way.
func (d *desk) replies(answer func(*queue.Op)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = answer
}

// last is the latest operation.
func (d *desk) last(t testing.TB) queue.Op {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		t.Fatal("nothing is asked")
	}
	return d.asked[len(d.asked)-1]
}

// await waits until n operations of a kind have been asked, and returns the last.
func (d *desk) await(t testing.TB, what queue.What, n int) queue.Op {
	t.Helper()
	timeout := time.After(patience)
	for {
		d.mu.Lock()
		seen := 0
		for _, op := range d.asked {
			if op.Ask.What == what {
				if seen++; seen == n {
					d.mu.Unlock()
					return op
				}
			}
		}
		if d.change == nil {
			d.change = make(chan struct{})
		}
		change := d.change
		d.mu.Unlock()
		select {
		case <-change:
		case <-timeout:
			t.Fatalf("%d operations %d are asked, want %d", seen, what, n)
		}
	}
}

// times is how many operations of a kind have been asked.
func (d *desk) times(what queue.What) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, op := range d.asked {
		if op.Ask.What == what {
			n++
		}
	}
	return n
}

// house is a server on a socket of its own.
type house struct {
	*httpfronttest.House
	*desk
	server *Server
}

// secureEnv, when set, has all tests use TLS that do not look below it.
const secureEnv = "QUEUESERVICE_TEST_TLS"

var someLimits = &policy.Limits{MaxLength: 1000, MaxPayload: 100000, MaxTags: 4096, MaxUnsent: 1 << 20}

func options() Options {
	return Options{LimitsFor: func(string) *policy.Limits { return someLimits }, Backend: "memory"}
}

// limited changes the limits of all queues.
func limited(change func(*policy.Limits)) func(*Options) {
	limits := *someLimits
	change(&limits)
	return func(o *Options) { o.LimitsFor = func(string) *policy.Limits { return &limits } }
}

// strangers are a party whose server does nothing.
func strangers(l *policy.Limits) party {
	s, set := &Server{}, &Options{}
	s.now.Store(set)
	return party{server: s, set: set, limits: l}
}

// newWriter is a writer that no goroutine runs, with an outbox and what it writes.
func newWriter(l *policy.Limits) (*writer, *bytes.Buffer) {
	box, out := &outbox{}, &bytes.Buffer{}
	box.init()
	return &writer{party: strangers(l), box: box, to: out}, out
}

// newHouse starts a server before a desk, or before the shards of set. When the test
// ends, nothing of it may be left.
func newHouse(t testing.TB, shards Shards, set ...func(*Options)) *house {
	t.Helper()
	return openHouse(t, shards, os.Getenv(secureEnv) != "", set...)
}

func openHouse(t testing.TB, shards Shards, secured bool, set ...func(*Options)) *house {
	t.Helper()
	h := &house{House: httpfronttest.New(t, "queueservice.(*consumer)")}
	if shards == nil {
		h.desk = &desk{}
		shards = h.desk
	}
	o := options()
	for _, fn := range set {
		fn(&o)
	}
	h.server = must.Get(NewServer(shards, h.Acceptor, o))
	h.Open(h.server, secured)
	return h
}

// patiently tries a scenario with a limit of the time that the server gives to its clients. On
// a busy machine an honest one may miss a short limit, so longer ones are tried then.
func patiently(t *testing.T, scenario func(limit time.Duration) error) {
	t.Helper()
	var err error
	for limit := 50 * time.Millisecond; limit < time.Minute; limit *= 5 {
		if err = scenario(limit); err == nil {
			return
		}
		t.Logf("within %v: %v", limit, err)
	}
	t.Error(err)
}

// client is a connection, byte by byte.
type client struct{ *httpfronttest.Client }

// dial connects a client.
func (h *house) dial() *client {
	h.T.Helper()
	return &client{h.Dial()}
}

// start connects a client that sends a request.
func (h *house) start(method, target, headers, body string) *client {
	h.T.Helper()
	return &client{h.Start(method, target, headers, body)}
}

// ended makes sure that the server closes the connection and sends nothing before.
func (c *client) ended() {
	c.T.Helper()
	if rest := c.Ended(); rest != "" {
		c.T.Errorf("%q is still sent", rest)
	}
}

// In all tests of this package a body that has been given back is overwritten: whoever still
// points into it sees something else than the client has sent (queue, B1).
func init() {
	spoil = func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
}
