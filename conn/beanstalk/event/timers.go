package event

// timers is a loop's heap of waiting connections, ordered by the time at which the
// loop must check them. Each connection remembers its place, so that a wait that
// ends before its time, as most do, leaves nothing behind.
type timers struct {
	heap []*Conn // heap[0] is unused: places count from 1
}

func (t *timers) set(c *Conn, at int64) {
	c.at = at
	if c.place == 0 {
		if len(t.heap) == 0 {
			t.heap = append(t.heap, nil)
		}
		t.heap = append(t.heap, c)
		c.place = len(t.heap) - 1
	}
	t.sift(c.place)
}

func (t *timers) remove(c *Conn) {
	i, last := c.place, len(t.heap)-1
	if i == 0 {
		return
	}
	c.place = 0
	moved := t.heap[last]
	t.heap[last] = nil
	t.heap = t.heap[:last]
	if i != last {
		t.heap[i] = moved
		moved.place = i
		t.sift(i)
	}
}

// first is the time of the earliest alarm, or 0.
func (t *timers) first() int64 {
	if len(t.heap) < 2 {
		return 0
	}
	return t.heap[1].at
}

// sift moves the connection at place i to its right place.
func (t *timers) sift(i int) {
	h, c := t.heap, t.heap[i]
	for i > 1 && c.at < h[i/2].at {
		h[i] = h[i/2]
		h[i].place = i
		i /= 2
	}
	for {
		kid := 2 * i
		if kid+1 < len(h) && h[kid+1].at < h[kid].at {
			kid++
		}
		if kid >= len(h) || c.at <= h[kid].at {
			break
		}
		h[i] = h[kid]
		h[i].place = i
		i = kid
	}
	h[i] = c
	c.place = i
}
