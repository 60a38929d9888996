package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// ready dials with a config whose server may be slow to answer a wait that is called off.
func ready(t *testing.T, server string) *client.Conn {
	t.Helper()
	config := at(server)
	config.Timeout = 30 * patience
	c := must.Get(client.Dial(t.Context(), config))
	t.Cleanup(func() { c.Close() })
	return c
}

// GC2: a context that ends calls the wait off, and the connection goes on with its jobs.
func TestContextThatCallsOff(t *testing.T) {
	server := beanfield(t)
	c, other, ctx := ready(t, server), dial(t, server), within(t)
	must.Get(other.Put(ctx, client.NewJob{Tube: "a"}))
	job := must.Get(c.Reserve(ctx, 0, "a"))
	for name, call := range map[string]func(context.Context) error{
		"Reserve": func(ctx context.Context) error { return last(c.Reserve(ctx, client.Forever, "b")) },
		"a fraction": func(ctx context.Context) error {
			return last(c.Reserve(ctx, 59999*time.Millisecond, "b"))
		},
		"ReserveBatch": func(ctx context.Context) error {
			return last(c.ReserveBatch(ctx, 9, time.Hour, "b", "c"))
		},
		"ReserveTagged": func(ctx context.Context) error {
			return last(c.ReserveTagged(ctx, map[string]string{"k": "v"}, 9, client.Forever, "a"))
		},
	} {
		cancel, done := waits(t, other, call)
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		short, end := context.WithTimeout(ctx, time.Millisecond)
		if err := call(short); err != context.DeadlineExceeded {
			t.Errorf("%s, with a deadline: %v", name, err)
		}
		end()
		must.Do(t, job.Touch(ctx))
	}
	must.Do(t, job.Delete(ctx))
	id := must.Get(c.Put(ctx, client.NewJob{Tube: "b"}))
	if got := must.Get(c.Reserve(ctx, client.Forever, "b")); got.ID != id {
		t.Errorf("job %d is reserved, want %d", got.ID, id)
	}
}

// callable answers a reserve only when it is called off, and then so.
func callable(answer string) *script {
	return &script{has: "call-off reserve-with", answers: map[string]string{"reserve-with-timeout": nothing,
		"reserve-with": nothing, "call-off": answer, "delete": "DELETED"}}
}

// What the answers to a reserve and its call-off may be.
func TestAnswersToACallOff(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		id     uint64
		after  time.Duration
		is     []error
	}{
		"in vain":          {"TIMED_OUT\r\nCALLED_OFF", 0, 0, []error{context.Canceled}},
		"with a job":       {"RESERVED 7 2\r\nhi\r\nCALLED_OFF", 7, 0, nil},
		"a deadline":       {"DEADLINE_SOON\r\nCALLED_OFF", 0, 0, []error{client.ErrDeadlineSoon}},
		"of a stranger":    {"RESERVED 7 2\r\nhi\r\nHELLO", 0, 0, []error{context.Canceled, client.ErrLost}},
		"half of it":       {"RESERVED 7 2\r\nhi", 0, time.Second, []error{context.Canceled, client.ErrLost}},
		"nothing":          {nothing, 0, time.Second, []error{context.Canceled, client.ErrLost}},
		"hung up":          {"", 0, 0, []error{context.Canceled, client.ErrLost}},
		"a job by halves":  {"RESERVED 7 2\r\nh", 0, time.Second, []error{context.Canceled, client.ErrLost}},
		"unknown commands": {"UNKNOWN_COMMAND\r\nUNKNOWN_COMMAND", 0, 0, []error{context.Canceled, client.ErrLost}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := callable(c.answer).dial(t)
				defer conn.Close()
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Minute/2, cancel)
				begun := time.Now()
				job, err := conn.Reserve(ctx, client.Forever)
				if took := time.Since(begun); took != time.Minute/2+c.after {
					t.Errorf("it took %v", took)
				}
				if job != nil != (c.id != 0) || job != nil && job.ID != c.id || (err == nil) != (c.is == nil) {
					t.Fatalf("%v, %v", job, err)
				}
				lost := false
				for _, want := range c.is {
					lost = lost || want == client.ErrLost
					if !errors.Is(err, want) {
						t.Errorf("%v is not %v", err, want)
					}
				}
				if !lost {
					must.Do(t, conn.Delete(t.Context(), 7)) // the connection goes on
				} else if err := conn.Delete(t.Context(), 7); !errors.Is(err, client.ErrClosed) {
					t.Errorf("afterwards: %v", err)
				}
			})
		})
	}
}

// A wait with parts of a second is one for the server, and a context that has a deadline is no concern of its.
func TestWaitsOfParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := callable("TIMED_OUT\r\nCALLED_OFF")
		c := s.dial(t)
		defer c.Close()
		s.hears(t, "capabilities")
		for wait, sent := range map[time.Duration]string{
			250 * time.Millisecond: "reserve-with timeout=0.250 count=1", 2 * time.Second: "reserve-with-timeout 2",
			time.Microsecond: "reserve-with timeout=0.001 count=1", 1500 * time.Millisecond: "reserve-with timeout=1.500 count=1"} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			fails(t, wait, last(c.Reserve(ctx, wait)), context.DeadlineExceeded)
			cancel()
			s.hears(t, sent, "call-off")
		}
		s.answers["reserve-with"] = "TIMED_OUT"
		talk(t, c, s, `
			ReserveBatch 9 1500us = ErrTimedOut
			< reserve-with timeout=0.002 count=9
			ReserveTagged - 9 1ms = ErrTimedOut
			< reserve-with timeout=0.001 count=9
		`)
	})
}

// An answer that was read counts, though the connection is lost behind it.
func TestPutIsAnsweredBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&script{has: "call-off put-with", answers: map[string]string{"put-with": nothing,
			"call-off": "INSERTED 7\r\nNOT_CALLED_OFF"}}).dial(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := c.Put(ctx, client.NewJob{Wait: time.Hour}); id != 7 || err != nil {
			t.Errorf("put as %d: %v", id, err)
		}
		fails(t, "the connection is out of step", c.Delete(t.Context(), 7), client.ErrClosed)
	})
}
