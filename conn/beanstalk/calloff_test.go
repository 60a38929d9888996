package beanstalk

import (
	"testing"

	"beanfield/storage/must"
)

// overBoth runs a test without TLS, and with it.
func overBoth(t *testing.T, test func(t *testing.T, connect func(h *house) *client)) {
	t.Run("plain", func(t *testing.T) { test(t, (*house).pair) })
	t.Run("TLS", func(t *testing.T) { test(t, func(h *house) *client { return h.sealed(nil) }) })
}

// Jobs and call-offs race: each reserve is answered once, with a job or not, and then CALLED_OFF; no job is lost.
func TestCallOffAgainstPuts(t *testing.T) { overBoth(t, callOffAgainstPuts) }

func callOffAgainstPuts(t *testing.T, connect func(h *house) *client) {
	h := newHouse(t)
	a, b := h.apart()
	c, p := connect(h), h.pair()
	c.watch(a, b)
	got := 0
	const rounds = 200
	for range rounds {
		c.send("reserve\r\n")
		p.send("put-in-tube " + a + " 0 0 60 1\r\nx\r\n")
		c.send("call-off\r\n")
		p.inserted()
		if line := c.line(); line != "TIMED_OUT" {
			c.expect("x")
			got++
		}
		c.expect("CALLED_OFF")
	}
	for ; got < rounds; got++ {
		c.send("reserve-with-timeout 0\r\n")
		if line := c.line(); line == "TIMED_OUT" {
			t.Fatalf("%d of %d jobs are lost", rounds-got, rounds)
		}
		c.expect("x")
	}
	c.do("reserve-with-timeout 0", "TIMED_OUT")
}

// A call-off that is read when a job has been given to the wait, and has not arrived yet, does not lose it.
func TestCallOffOfAWaitThatHasAJob(t *testing.T) {
	s, l := stillServer(t)
	c, p := s.enter(t), s.enter(t)
	l.ServeInbox()
	tell(t, c, []byte("reserve\r\n"))
	l.ServeEvents()
	tell(t, p, []byte("put 0 0 60 1\r\nx\r\n"))
	l.ServeEvents() // gives the job to the wait; that it has arrived is in the inbox
	tell(t, c, []byte("call-off\r\n"))
	l.ServeEvents()
	for !l.Idle() {
		l.ServeInbox()
	}
	if got := heard(c); got != "RESERVED 1 1\r\nx\r\nCALLED_OFF\r\n" {
		t.Errorf("%q", got)
	}
}

// The line may come in several records, and these in pieces, which are read while the client waits.
func TestCallOffInTornRecords(t *testing.T) {
	h := newHouse(t)
	c, far := h.hoarding()
	size := 1
	for cut := 0; cut < size; cut++ {
		c.send("reserve\r\n")
		eventually(t, "it waits", func() bool { return h.waiting() == 1 })
		far.hold = true
		c.send("call")
		c.send("-off\r\nlist-")
		c.send("tube-used\r\n")
		size = len(far.held)
		must.Get(far.Conn.Write(far.held[:cut]))
		eventually(t, "it is read", func() bool { return pending(t, far.Conn) == 0 })
		must.Get(far.Conn.Write(far.held[cut:]))
		far.hold, far.held = false, nil
		c.expect("TIMED_OUT")
		c.expect("CALLED_OFF")
		c.expect("USING default")
	}
}
