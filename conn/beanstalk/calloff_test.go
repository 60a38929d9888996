package beanstalk

import (
	"testing"
)

// A call-off may come in pieces, in the wait or before it, and ends the wait with its last byte only.
func TestCallOffInPieces(t *testing.T) {
	h := newHouse(t)
	const in = "reserve\r\ncall-off\r\nlist-tube-used\r\n"
	for cut := range len(in) {
		c := h.pair()
		c.send(in[:cut])
		if cut >= len("reserve\r\n") && cut < len("reserve\r\ncall-off\r\n") {
			eventually(t, "it waits", func() bool { return h.waiting() == 1 })
		}
		c.send(in[cut:])
		c.expect("TIMED_OUT")
		c.expect("CALLED_OFF")
		c.expect("USING default")
		c.close()
	}
}

// Jobs and call-offs race: each reserve is answered once, with a job or not, and then CALLED_OFF; no job is lost.
func TestCallOffAgainstPuts(t *testing.T) {
	h := newHouse(t)
	a, b := h.apart()
	c, p := h.pair(), h.pair()
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
		c.line()
		c.expect("x")
	}
	c.do("reserve-with-timeout 0", "TIMED_OUT")
}
