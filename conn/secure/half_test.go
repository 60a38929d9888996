package secure

import (
	"slices"
	"testing"
)

// crowd makes handshakes of a keeper with these limits, and notes which are dropped.
type crowd struct {
	k       *Keeper
	certs   *Certificates
	dropped []int
}

func newCrowd(most int) *crowd {
	c := &crowd{certs: &Certificates{}}
	c.k = NewKeeper(nil, c.certs)
	c.k.Limit(most)
	return c
}

func (c *crowd) begin(name int) *Half {
	return c.certs.Begin(func() { c.dropped = append(c.dropped, name) })
}

// When there are too many handshakes, the one that has waited for its client longest is
// dropped (T3); those that the server has to go on with are not, however old they are.
func TestTooManyHandshakes(t *testing.T) {
	c := newCrowd(4)
	zero, one, two, three := c.begin(0), c.begin(1), c.begin(2), c.begin(3)
	c.k.line.work(zero)
	c.k.line.work(one)
	c.k.line.wait(one) // now it waits, shorter than 2 and 3
	c.begin(4)
	c.begin(5)
	c.begin(6)
	if want := []int{2, 3, 1}; !slices.Equal(c.dropped, want) {
		t.Errorf("%v are dropped, want %v", c.dropped, want)
	}
	if got := c.k.Counts(); got != (Counts{Dropped: 3, Now: 4}) {
		t.Errorf("counts: %+v", got)
	}
	for _, h := range []*Half{one, two, three} { // they end, and change nothing
		c.k.line.work(h)
		c.k.line.wait(h)
		h.End()
	}
	zero.End()
	zero.End()
	if got := c.k.Counts(); got != (Counts{Dropped: 3, Now: 3}) {
		t.Errorf("counts at the end: %+v", got)
	}
	if l := &c.k.line; l.working != 0 || l.waiting.Len() != 3 {
		t.Errorf("%d work and %d wait", l.working, l.waiting.Len())
	}
}

// If all others have what they need from their clients, the new one is dropped.
func TestTooManyHandshakesAtWork(t *testing.T) {
	c := newCrowd(2)
	for i := range 2 {
		c.k.line.work(c.begin(i))
	}
	c.begin(2)
	if !slices.Equal(c.dropped, []int{2}) {
		t.Errorf("%v are dropped", c.dropped)
	}
}

// While enough handshakes are at work there is no room for clients, and there is again when
// half of them are done.
func TestRoom(t *testing.T) {
	c := newCrowd(2 * fullAt)
	var all []*Half
	for i := range fullAt {
		if c.certs.Room() != nil {
			t.Fatalf("there is no room with %d", i)
		}
		h := c.begin(i)
		c.k.line.work(h)
		all = append(all, h)
	}
	room := c.certs.Room()
	if room == nil {
		t.Fatalf("there is room with %d", fullAt)
	}
	for i, h := range all {
		select {
		case <-room:
			if left := fullAt - i; left != roomAt {
				t.Fatalf("room is made when %d are left", left)
			}
			if c.certs.Room() != nil {
				t.Error("and is gone at once")
			}
			return
		default:
		}
		if i%2 == 0 {
			h.End()
		} else {
			c.k.line.wait(h)
		}
	}
}
