package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

func newPool(t testing.TB, c client.Config, size int) *client.Pool {
	t.Helper()
	p := must.Get(client.NewPool(c, size))
	t.Cleanup(func() { p.Close() })
	return p
}

// GC4: however many goroutines there are, there are no more connections than the pool may have.
func TestPoolIsBounded(t *testing.T) {
	const size = 3
	var open, most, made atomic.Int64
	config := at(beanfield(t))
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		made.Add(1)
		n := open.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return &counted{Conn: c, open: &open}, err
	}
	p, ctx := newPool(t, config, size), within(t)
	var all sync.WaitGroup
	for g := range 30 {
		all.Go(func() {
			for i := range 20 {
				tube := fmt.Sprint("t", (g+i)%5)
				id := must.Get(p.Put(ctx, client.NewJob{Tube: tube, Body: []byte(tube)}))
				must.Do(t, p.Do(ctx, func(c *client.Conn) error {
					found, err := c.PeekJob(ctx, id)
					if string(found.Body) != tube {
						t.Errorf("job %d is %q", id, found.Body)
					}
					if i%7 == 0 { // leaves a job behind: the connection is of no use to others
						_, err = c.Reserve(ctx, 0, tube)
					}
					return err
				}))
			}
		})
	}
	all.Wait()
	if most.Load() > size || made.Load() <= size {
		t.Errorf("%d connections at once, %d made", most.Load(), made.Load())
	}
	must.Do(t, p.Do(ctx, func(c *client.Conn) error {
		shows(t, must.Get(c.Stats(ctx)), "current-jobs-reserved=0 current-jobs-ready=600")
		return nil
	}))
	must.Do(t, p.Close())
	if open.Load() != 0 {
		t.Errorf("%d connections are open", open.Load())
	}
}

// counted tells when it is closed.
type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// A pool that is used up lets callers wait, until their context ends or it is closed.
func TestPoolLetsWait(t *testing.T) {
	p, ctx := newPool(t, at(beanfield(t)), 1), within(t)
	c := must.Get(p.Get(ctx))
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := p.Get(short); err != context.DeadlineExceeded {
		t.Errorf("a second connection: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.Put(ctx, client.NewJob{})
		done <- err
	}()
	must.Do(t, c.Close())
	must.Do(t, <-done)
	if _, err := c.Stats(ctx); err != client.ErrClosed {
		t.Errorf("a connection that was given back: %v", err)
	}
	c = must.Get(p.Get(ctx))
	go func() {
		_, err := p.Get(ctx)
		done <- err
	}()
	must.Do(t, p.Close())
	if err := <-done; err != client.ErrClosed {
		t.Errorf("a pool that is closed: %v", err)
	}
	must.Get(c.Stats(ctx)) // it is not taken away from whoever has it
	must.Do(t, c.Close())
}

// GC4: a connection that was lost while it was idle is not given out, and one whose call was ended neither.
func TestPoolFindsLostConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		var gone atomic.Bool
		forever := make(chan struct{})
		config := played(func(line, _ string) string {
			switch {
			case line == "capabilities":
				made.Add(1)
				gone.Store(false)
				return "UNKNOWN_COMMAND"
			case gone.Load():
				return ""
			case line == "delete 7":
				<-forever
				return ""
			case line == "list-tube-used":
				return "USING default"
			}
			return "INSERTED 1"
		})
		p := newPool(t, config, 1)
		put := func(want int64) {
			t.Helper()
			must.Get(p.Put(t.Context(), client.NewJob{}))
			if n := made.Load(); n != want {
				t.Errorf("%d connections were made, want %d", n, want)
			}
		}
		put(1)
		time.Sleep(time.Minute)
		put(1)
		time.Sleep(time.Minute)
		gone.Store(true)
		put(2)
		time.Sleep(time.Hour)
		put(3)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Do(short, func(c *client.Conn) error { return c.Delete(short, 7) }); !errors.Is(err,
			client.ErrLost) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call whose context ends: %v", err)
		}
		put(4)
		close(forever)
	})
}

// A pool tries for a while to reach a server, and then says why it cannot. It does not try again what
// cannot be mended.
func TestPoolReachesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := &net.OpError{Op: "dial", Err: errors.New("refused")}
		tries := 0
		config := client.Config{Patience: time.Minute, Retry: client.Backoff{Min: time.Second, Max: 4 * time.Second},
			Servers: []string{"a", "b"}, Dial: func(context.Context, string, string) (net.Conn, error) {
				tries++
				return nil, refused
			}}
		p := newPool(t, config, 1)
		begun := time.Now()
		if _, err := p.Put(t.Context(), client.NewJob{}); !errors.Is(err, refused) || time.Since(begun) < time.Minute ||
			time.Since(begun) > time.Minute+4*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		if tries < 2*15 || tries > 2*35 {
			t.Errorf("%d attempts in a minute, 2 to 4 seconds apart, with two servers", tries)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun = time.Now()
		if _, err := p.Get(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, refused) ||
			time.Since(begun) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		begun = time.Now()
		done := make(chan error)
		go func() {
			_, err := p.Get(t.Context())
			done <- err
		}()
		synctest.Wait()
		must.Do(t, p.Close())
		if err := <-done; err != client.ErrClosed || time.Since(begun) != 0 {
			t.Errorf("a pool that is closed: %v", err)
		}
		config = played(func(string, string) string { return "220 mail.example.com" })
		begun = time.Now()
		if _, err := newPool(t, config, 1).Get(t.Context()); err == nil || time.Since(begun) > time.Second {
			t.Errorf("a server of something else, after %v: %v", time.Since(begun), err)
		}
	})
}

// A put with a name is sent again if its answer is lost; others are not.
func TestPoolRepeatsPutsWithNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var heard []string
		config := played(func(line, body string) string {
			if line == "capabilities" {
				return "OK 15\r\n---\n- put-with\n"
			}
			mu.Lock()
			defer mu.Unlock()
			if heard = append(heard, body); len(heard) < 3 {
				return ""
			}
			return "INSERTED 12"
		})
		p := newPool(t, config, 2)
		if _, err := p.Put(t.Context(), client.NewJob{Body: []byte("a")}); !errors.Is(err, client.ErrLost) ||
			len(heard) != 1 {
			t.Errorf("a put without a name, sent %d times: %v", len(heard), err)
		}
		if id, err := p.Put(t.Context(), client.NewJob{Body: []byte("b"), Once: "x"}); id != 12 || err != nil ||
			len(heard) != 3 || heard[2] != "b" {
			t.Errorf("a put with a name, sent as %q: %d, %v", heard, id, err)
		}
	})
}

// A server that says nothing is passed over, as one that cannot be reached is.
func TestServersInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silence := make(chan struct{})
		silent := played(func(string, string) string { <-silence; return "" })
		good := played(func(string, string) string { return "UNKNOWN_COMMAND" })
		var tried []string
		config := client.Config{Servers: []string{"gone", "silent", "good:1", "unix:never"},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				tried = append(tried, network+" "+address)
				switch address {
				case "silent:11300":
					return silent.Dial(ctx, network, address)
				case "good:1":
					return good.Dial(ctx, network, address)
				}
				return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
			}}
		begun := time.Now()
		c := must.Get(client.Dial(t.Context(), config))
		if got := fmt.Sprint(tried); got != "[tcp gone:11300 tcp silent:11300 tcp good:1]" ||
			time.Since(begun) != 5*time.Second {
			t.Errorf("after %v: %s", time.Since(begun), got)
		}
		must.Do(t, c.Close())
		config.Servers = config.Servers[:2]
		if _, err := client.Dial(t.Context(), config); !errors.Is(err, client.ErrLost) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody answers: %v", err)
		}
		close(silence)
	})
}

// GC4: a connection is kept if it holds no job any more, whatever has become of its jobs. It is not kept while it holds
// one, or one that the server did not take back, whoever has asked.
func TestPoolKeepsConnectionsWithoutJobs(t *testing.T) {
	for _, has := range []string{"", "delete-batch release-batch bury-batch"} {
		for settle, dials := range map[string]int{"job.Delete": 1, "job.Release 0 0": 1, "job.Bury 0": 1,
			"DeleteBatch 7 = 1": 1, "ReleaseBatch 7 0 0 = 1": 1, "BuryBatch 7 0 = 1": 1, "Run Delete:7": 1,
			"": 2, "job.Release 1 0 = ErrInternal": 2, "Run Release:7 = ErrInternal": 2} {
			s := &script{has: has, answers: map[string]string{"put": "INSERTED 1", "quit": "",
				"reserve-with-timeout": "RESERVED 7 1\r\nx", "delete": "DELETED", "release": "RELEASED",
				"bury": "BURIED", "release 7 1 0": "INTERNAL_ERROR", "delete-batch": "DELETED_BATCH 1",
				"release-batch": "RELEASED_BATCH 1", "bury-batch": "BURIED_BATCH 1"}}
			p := newPool(t, played(s.reply), 1)
			must.Do(t, p.Do(t.Context(), func(c *client.Conn) error {
				talk(t, c, s, "Reserve 0 = 7 x\n"+settle)
				return nil
			}))
			must.Get(p.Put(t.Context(), client.NewJob{}))
			if s.dials != dials {
				t.Errorf("a job and %s: %d connections were made, want %d", settle, s.dials, dials)
			}
		}
	}
}
