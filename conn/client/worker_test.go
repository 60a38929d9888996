package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// working runs a worker until the test ends, and fails if that does not end it.
func working(t *testing.T, w *client.Worker) (ended <-chan error) {
	done := make(chan error, 1)
	go func() { done <- w.Run(context.Background()) }()
	t.Cleanup(func() { must.Do(t, w.Shutdown(within(t))) })
	return done
}

// settled waits until no job is ready or reserved.
func settled(t *testing.T, c *client.Conn) {
	t.Helper()
	ctx := within(t)
	for {
		stats := must.Get(c.Stats(ctx))
		if stats.Number("current-jobs-ready") == 0 && stats.Number("current-jobs-reserved") == 0 {
			return
		}
	}
}

// What a handler returns decides what becomes of its job.
func TestWorkerSettlesJobs(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c, ctx := dial(t, server), within(t)
		failed := errors.New("failed")
		var mu sync.Mutex
		reported := map[string]error{}
		hourly := client.Backoff{Min: time.Hour, Max: time.Hour}
		w := &client.Worker{Config: at(server), Tubes: []string{"work"}, Retry: hourly,
			Handler: func(ctx context.Context, job *client.Job) error {
				switch string(job.Body) {
				case "exit":
					runtime.Goexit()
				case "error":
					return fmt.Errorf("this has %w", failed)
				case "panic":
					panic(failed)
				case "bury":
					return fmt.Errorf("for ever: %w", client.Bury(failed))
				case "retry":
					return client.RetryAfter(7*time.Second, failed)
				case "itself":
					return errors.Join(job.Bury(ctx, 3), failed)
				}
				return nil
			},
			Report: func(job *client.Job, err error) {
				mu.Lock()
				defer mu.Unlock()
				reported[string(job.Body)] = err
			}}
		ids := map[string]uint64{}
		for _, body := range []string{"exit", "well", "error", "panic", "bury", "retry", "itself"} {
			ids[body] = must.Get(c.Put(ctx, client.NewJob{Tube: "work", Body: []byte(body), Priority: 5}))
		}
		working(t, w)
		settled(t, c)
		must.Do(t, w.Shutdown(ctx)) // now everything has been reported
		mu.Lock()
		defer mu.Unlock()
		fails(t, "a job that was done", last(c.PeekJob(ctx, ids["well"])), client.ErrNotFound)
		for body, want := range map[string]string{"exit": "delayed 5", "error": "delayed 5", "panic": "delayed 5",
			"bury": "buried 5", "retry": "delayed 5", "itself": "buried 3"} {
			stats := must.Get(c.StatsJob(ctx, ids[body]))
			if got := stats.Get("state") + " " + stats.Get("pri"); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
			if d := stats.Number("delay"); body == "retry" && d != 7 || body == "error" && (d < 1800 || d > 3600) {
				t.Errorf("%s: the delay is %d s", body, d)
			}
			if reported[body] == nil || !errors.Is(reported[body], failed) && body != "exit" {
				t.Errorf("%s: reported is %v", body, reported[body])
			}
		}
		var stack *client.PanicError
		if !errors.As(reported["panic"], &stack) || !strings.Contains(string(stack.Stack), "worker_test.go") {
			t.Errorf("the panic: %v", reported["panic"])
		}
	})
}

// A job that fails too often is buried. Its handler knows the number of the attempt, also without asking for the job's
// TTR.
func TestWorkerGivesUp(t *testing.T) {
	server := beanfield(t)
	c, ctx := dial(t, server), within(t)
	var calls atomic.Int64
	w := &client.Worker{Config: at(server), TTR: time.Minute, Attempts: 3, Report: func(*client.Job, error) {},
		Handler: func(_ context.Context, job *client.Job) error {
			if n := calls.Add(1); job.Reserves != int(n) {
				t.Errorf("call %d is attempt %d", n, job.Reserves)
			}
			return client.RetryAfter(0, errors.New("no"))
		}}
	id := must.Get(c.Put(ctx, client.NewJob{}))
	working(t, w)
	settled(t, c)
	if stats := must.Get(c.StatsJob(ctx, id)); stats.Get("state") != "buried" || calls.Load() != 3 {
		t.Errorf("after %d calls: %v", calls.Load(), stats)
	}
}

// GC5: Shutdown waits for the jobs in hand, and no other is taken.
func TestWorkerShutsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reserved, deleted atomic.Int64
		config := played(func(line, _ string) string {
			switch verb, _, _ := strings.Cut(line, " "); verb {
			case "reserve-with-timeout":
				return fmt.Sprintf("RESERVED %d 0\r\n", reserved.Add(1))
			case "delete":
				deleted.Add(1)
				return "DELETED"
			}
			return "UNKNOWN_COMMAND"
		})
		finish := make(chan bool)
		w := &client.Worker{Config: config, TTR: time.Hour, Concurrency: 2, Handler: func(ctx context.Context,
			_ *client.Job) error {
			<-finish
			return ctx.Err()
		}}
		ended := working(t, w)
		synctest.Wait()
		down := make(chan error, 1)
		go func() { down <- w.Shutdown(t.Context()) }()
		synctest.Wait()
		if len(down) > 0 || len(ended) > 0 {
			t.Error("it does not wait for the jobs")
		}
		close(finish)
		must.Do(t, <-down)
		must.Do(t, <-ended)
		if reserved.Load() != 2 || deleted.Load() != 2 {
			t.Errorf("%d jobs reserved, %d deleted", reserved.Load(), deleted.Load())
		}
		if err := w.Run(t.Context()); err != client.ErrClosed {
			t.Errorf("it runs again: %v", err)
		}
	})
}

// GC5: whenever a worker is shut down, it leaves no job behind.
func TestWorkersComeAndGo(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		const many = 300
		c, ctx := dial(t, server), within(t)
		must.Get(c.PutBatch(ctx, make([]client.NewJob, many)))
		done := 0
		for done < many {
			calls := make(chan bool, many)
			w := &client.Worker{Config: at(server), Concurrency: 4, Handler: func(ctx context.Context,
				_ *client.Job) error {
				calls <- true
				return ctx.Err()
			}}
			ended := working(t, w)
			<-calls
			must.Do(t, w.Shutdown(ctx))
			must.Do(t, <-ended)
			done += 1 + len(calls)
		}
		if stats := must.Get(c.Stats(ctx)); done != many || stats.Number("cmd-delete") != many {
			t.Errorf("%d jobs were done: %v", done, stats)
		}
	})
}

// GC5: if there is no time left, the handlers' contexts end, and what they could not do is ready again.
func TestWorkerIsAbandoned(t *testing.T) {
	for _, how := range []string{"Shutdown", "Run"} {
		t.Run(how, func(t *testing.T) {
			server := beanfield(t)
			c, ctx := dial(t, server), within(t)
			begun := make(chan bool)
			w := &client.Worker{Config: at(server), Report: func(*client.Job, error) {
			},
				Handler: func(ctx context.Context, _ *client.Job) error {
					begun <- true
					<-ctx.Done()
					return ctx.Err()
				}}
			id := must.Get(c.Put(ctx, client.NewJob{Priority: 9}))
			running, cancel := context.WithCancel(ctx)
			ended := make(chan error)
			go func() { ended <- w.Run(running) }()
			<-begun
			over, end := context.WithCancel(ctx)
			end()
			if how == "Run" {
				cancel()
				if err := <-ended; err != context.Canceled {
					t.Errorf("Run: %v", err)
				}
			} else {
				if err := w.Shutdown(over); err != context.Canceled {
					t.Errorf("Shutdown: %v", err)
				}
				must.Do(t, <-ended)
			}
			cancel()
			shows(t, must.Get(c.StatsJob(ctx, id)), "state=ready pri=9 releases=1")
		})
	}
}

// A worker whose connection is lost comes back; the job is done again.
func TestWorkerConnectsAgain(t *testing.T) {
	server := beanfield(t)
	c, ctx := dial(t, server), within(t)
	config := at(server)
	config.Retry = client.Backoff{Min: time.Millisecond, Max: time.Millisecond}
	var mu sync.Mutex
	var last net.Conn
	made := 0
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if made++; made%2 == 0 {
			return nil, errors.New("not now")
		}
		var err error
		last, err = new(net.Dialer).DialContext(ctx, network, address)
		return last, err
	}
	var calls, reports atomic.Int64
	done := make(chan bool, 1)
	w := &client.Worker{Config: config, Report: func(*client.Job, error) {
		reports.Add(1)
	}, Handler: func(context.Context, *client.Job) error {
		if calls.Add(1) < 3 {
			mu.Lock()
			defer mu.Unlock()
			return last.Close()
		}
		done <- true
		return nil
	}}
	must.Get(c.Put(ctx, client.NewJob{}))
	working(t, w)
	<-done
	settled(t, c)
	if calls.Load() != 3 || reports.Load() < 3 {
		t.Errorf("%d calls, %d reports", calls.Load(), reports.Load())
	}
}

// timed is a server with one job, whose TTR is 10 seconds, and says when it was touched, and what
// became of it.
type timed struct {
	begun   time.Time
	given   atomic.Bool
	mu      sync.Mutex
	heard   []string
	touches string // what a touch is answered
}

func (s *timed) reply(line, _ string) string {
	verb, _, _ := strings.Cut(line, " ")
	switch verb {
	case "reserve-with-timeout":
		if !s.given.Swap(true) {
			return "RESERVED 7 0\r\n"
		}
		time.Sleep(time.Minute)
		return "TIMED_OUT"
	case "stats-job":
		const doc = "---\nid: 7\npri: 5\nttr: 10\nreserves: 1\n"
		return fmt.Sprintf("OK %d\r\n%s", len(doc), doc)
	case "touch", "delete", "release":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, fmt.Sprint(verb, " ", time.Since(s.begun)))
		return map[string]string{"touch": s.touches, "delete": "DELETED", "release": "RELEASED"}[verb]
	}
	return "UNKNOWN_COMMAND"
}

// GC5: without a MaxTime the context ends before the TTR is over. With one, the job is touched until
// then, and no longer; and if it is lost, the context ends.
func TestWorkerKeepsTime(t *testing.T) {
	for _, k := range []struct {
		name    string
		w       *client.Worker
		touches string
		takes   time.Duration // the handler, if its context lets it
		ends    time.Duration
		cause   error // of that
		heard   string
	}{
		{"TTR", &client.Worker{}, "", time.Hour, 9 * time.Second, context.DeadlineExceeded, "release 9s"},
		{"short TTR", &client.Worker{TTR: time.Second}, "", time.Hour, 900 * time.Millisecond, context.DeadlineExceeded,
			"release 900ms"},
		{"in time", &client.Worker{MaxTime: time.Minute}, "TOUCHED", 12 * time.Second, 12 * time.Second, nil,
			"touch 5s, touch 10s, delete 12s"},
		{"too long", &client.Worker{MaxTime: 18 * time.Second}, "TOUCHED", time.Hour, 18 * time.Second,
			context.DeadlineExceeded, "touch 5s, touch 10s, touch 15s, release 18s"},
		{"lost", &client.Worker{MaxTime: time.Hour}, "NOT_FOUND", time.Hour, 5 * time.Second, client.ErrNotFound,
			"touch 5s, release 5s"},
	} {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &timed{begun: time.Now(), touches: k.touches}
				w := k.w
				w.Config, w.Retry = played(s.reply), client.Backoff{Min: time.Hour - time.Nanosecond, Max: time.Hour}
				handled := make(chan error, 1)
				w.Report = func(*client.Job, error) {}
				w.Handler = func(ctx context.Context, _ *client.Job) error {
					select {
					case <-ctx.Done():
					case <-time.After(k.takes):
					}
					if took := time.Since(s.begun); took != k.ends {
						t.Errorf("the handler ends after %v, want %v", took, k.ends)
					}
					handled <- context.Cause(ctx)
					return ctx.Err()
				}
				ended := working(t, w)
				if cause := <-handled; !errors.Is(cause, k.cause) {
					t.Errorf("the cause is %v", cause)
				}
				must.Do(t, w.Shutdown(t.Context()))
				must.Do(t, <-ended)
				time.Sleep(time.Minute) // the server may be in a wait
				s.mu.Lock()
				defer s.mu.Unlock()
				if heard := strings.Join(s.heard, ", "); heard != k.heard {
					t.Errorf("the server hears %q, want %q", heard, k.heard)
				}
			})
		})
	}
}

// A worker that cannot work says so at once.
func TestWorkersThatCannotWork(t *testing.T) {
	handler := func(context.Context, *client.Job) error { return nil }
	for _, w := range []*client.Worker{{}, {Handler: handler, Tubes: []string{"a b"}}, {Handler: handler, Attempts: -1},
		{Handler: handler, TTR: 60}, {Handler: handler, Config: client.Config{Servers: []string{"/"}}}} {
		fails(t, "", w.Run(t.Context()), client.ErrInvalid)
	}
	w := &client.Worker{Handler: handler}
	must.Do(t, w.Shutdown(t.Context()))
	if err := w.Run(t.Context()); err != client.ErrClosed {
		t.Errorf("run after the shutdown: %v", err)
	}
}

// The pause doubles, has a random part, and no more than the longest.
func TestBackoff(t *testing.T) {
	b := client.Backoff{Min: time.Second, Max: time.Minute}
	for failures, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second,
		7: time.Minute, 1 << 40: time.Minute} {
		seen := map[time.Duration]bool{}
		for range 50 {
			d := b.After(failures)
			if seen[d] = true; d > most || d < most/2 {
				t.Errorf("after %d failures: %v", failures, d)
			}
		}
		if len(seen) < 10 {
			t.Errorf("after %d failures it is one of %d", failures, len(seen))
		}
	}
}
