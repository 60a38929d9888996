package beanstalk

// timers is a loop's heap of waiting connections, ordered by the time at which the
// loop must check them. Each connection remembers its place, so that a wait that
// ends before its time, as most do, leaves nothing behind.
type timers struct {
	heap []*Conn // heap[0] is unused: places count from 1
}

func (t *timers) set(c *Conn, at int64) {
	c.wake.at = at
	if c.wake.place == 0 {
		if len(t.heap) == 0 {
			t.heap = append(t.heap, nil)
		}
		t.heap = append(t.heap, c)
		c.wake.place = len(t.heap) - 1
	}
	t.sift(c.wake.place)
}

func (t *timers) remove(c *Conn) {
	i, last := c.wake.place, len(t.heap)-1
	if i == 0 {
		return
	}
	c.wake.place = 0
	moved := t.heap[last]
	t.heap[last] = nil
	t.heap = t.heap[:last]
	if i != last {
		t.heap[i] = moved
		moved.wake.place = i
		t.sift(i)
	}
}

// first is the time of the earliest alarm, or 0.
func (t *timers) first() int64 {
	if len(t.heap) < 2 {
		return 0
	}
	return t.heap[1].wake.at
}

// sift moves the connection at place i to its right place.
func (t *timers) sift(i int) {
	h, c := t.heap, t.heap[i]
	for i > 1 && c.wake.at < h[i/2].wake.at {
		h[i] = h[i/2]
		h[i].wake.place = i
		i /= 2
	}
	for {
		kid := 2 * i
		if kid+1 < len(h) && h[kid+1].wake.at < h[kid].wake.at {
			kid++
		}
		if kid >= len(h) || c.wake.at <= h[kid].wake.at {
			break
		}
		h[i] = h[kid]
		h[i].wake.place = i
		i = kid
	}
	h[i] = c
	c.wake.place = i
}

// waitTimer is a connection's place in its loop's timers.
type waitTimer struct {
	timeout int64  // nanoseconds, of the reserve that is being run
	until   int64  // when the wait times out; MaxInt64 for never
	room    bool   // it is that of a put, which waits for room
	tube    string // in this tube
	at      int64  // when the loop checks it
	place   int    // in the loop's timers, from 1; 0 if none
}
