package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// GC2: a context that has ended sends nothing, and the connection is as before.
func TestContextThatHasEnded(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Put(ended, client.NewJob{}); err != context.Canceled {
		t.Errorf("put: %v", err)
	}
	fails(t, "dial", last(client.Dial(ended, client.Config{})), context.Canceled)
	shows(t, must.Get(c.Stats(ctx)), "total-jobs=0")
}

// waits begins a call that waits, and returns when it does: cancel ends its context, and done has its error.
func waits(t *testing.T, other *client.Conn, call func(context.Context) error) (cancel func(), done chan error) {
	ctx, cancel := context.WithCancel(within(t))
	done = make(chan error, 1)
	go func() { done <- call(ctx) }()
	for stats := must.Get(other.Stats(ctx)); stats.Number("current-waiting") == 0; stats = must.Get(other.Stats(ctx)) {
	}
	return cancel, done
}

// GC2: at a server that cannot call waits off, a context that is cancelled in the middle of one ends the connection,
// and others get its jobs.
func TestContextThatEndsACall(t *testing.T) {
	server := beanstalkd(t)
	c, other, ctx := dial(t, server), dial(t, server), within(t)
	id := must.Get(other.Put(ctx, client.NewJob{Tube: "a"}))
	job := must.Get(c.Reserve(ctx, 0, "a"))
	cancel, done := waits(t, other, func(ctx context.Context) error {
		return last(c.Reserve(ctx, client.Forever, "b"))
	})
	behind, giveUp := context.WithTimeout(ctx, time.Millisecond)
	defer giveUp()
	if err := job.Touch(behind); err != context.DeadlineExceeded {
		t.Errorf("a call behind one that waits: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || !errors.Is(err, client.ErrLost) {
		t.Errorf("the call: %v", err)
	}
	if again := must.Get(other.Reserve(ctx, client.Forever, "a")); again.ID != id {
		t.Errorf("another one gets job %d", again.ID)
	}
	if err := job.Delete(ctx); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(),
		"was ended before its answer came") {
		t.Errorf("a job of a connection that has ended: %v", err)
	}
}

// A deadline ends a reserve that waits, and does no harm.
func TestDeadlineOfReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c := must.Get(client.Dial(t.Context(), played(func(line, _ string) string {
			asked = append(asked, line)
			var n int
			switch verb, arg, _ := strings.Cut(line, " "); verb {
			case "reserve-with-timeout":
				for _, d := range arg {
					n = 10*n + int(d-'0')
				}
				time.Sleep(time.Duration(n) * time.Second)
				return "TIMED_OUT"
			case "delete":
				return "DELETED"
			}
			return "UNKNOWN_COMMAND"
		})))
		defer c.Close()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 90500*time.Millisecond)
		defer cancel()
		_, err := c.Reserve(ctx, client.Forever)
		if took := time.Since(begun); err != context.DeadlineExceeded || took < 90*time.Second ||
			took > 91*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		if asked[1] != "reserve-with-timeout 60" || asked[2] != "reserve-with-timeout 30" ||
			asked[3] != "reserve-with-timeout 0" {
			t.Errorf("asked %q", asked)
		}
		must.Do(t, c.Delete(t.Context(), 1)) // the connection works
		begun = time.Now()
		if _, err := c.Reserve(t.Context(), 61500*time.Millisecond); err != client.ErrTimedOut ||
			time.Since(begun) != 62*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// A server that says nothing is given up after the timeout, whatever the context.
func TestSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silence := make(chan struct{})
		defer close(silence)
		config := played(func(line, _ string) string {
			if line == "capabilities" {
				return "UNKNOWN_COMMAND"
			}
			<-silence
			return ""
		})
		config.Timeout = 7 * time.Second
		c := must.Get(client.Dial(t.Context(), config))
		defer c.Close()
		begun := time.Now()
		if _, err := c.Put(t.Context(), client.NewJob{}); !errors.Is(err, client.ErrLost) ||
			time.Since(begun) != config.Timeout {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		begun = time.Now()
		if _, err := c.Put(t.Context(), client.NewJob{}); !errors.Is(err, client.ErrClosed) || time.Since(begun) != 0 {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// Close ends a call that waits.
func TestCloseEndsACall(t *testing.T) {
	server := beanfield(t)
	c, other, ctx := dial(t, server), dial(t, server), within(t)
	_, done := waits(t, other, func(ctx context.Context) error {
		return last(c.Reserve(ctx, client.Forever))
	})
	must.Do(t, c.Close())
	if err := <-done; !errors.Is(err, client.ErrClosed) || !errors.Is(err, client.ErrLost) {
		t.Errorf("the call: %v", err)
	}
	must.Do(t, c.Close())
	if _, err := c.Stats(ctx); err != client.ErrClosed {
		t.Errorf("a call later: %v", err)
	}
}
