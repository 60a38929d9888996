package beanstalk

import (
	"fmt"
	"strings"
	"testing"
)

// What is arriving has a bound, of which one address may have as much as is free. A body beyond it is thrown away, and
// has room when another has come. Others have room all the time, and so has the beginning of any body.
func TestBodiesArriveWithinABound(t *testing.T) {
	const begins = 64 << 10
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = begins + 30_000 })
	first, second, third := h.pair(), h.pair(), h.pair()
	h.server.bodies.Bound(90_000)
	body, sent := strings.Repeat("x", begins+30_000), begins+20_000
	put := fmt.Sprintf("put 0 0 60 %d\r\n", len(body))
	half := func(c *client) { c.send(put + body[:sent]) }
	half(first)
	eventually(t, "half a body is held", func() bool { return h.server.bodies.Held() >= 20_000 })
	half(second)
	eventually(t, "no room for another", func() bool { return second.unread() == 0 })
	second.send(body[sent:] + "\r\n")
	second.expect("OUT_OF_MEMORY")
	second.send(fmt.Sprintf("put-batch %d\r\n", len(body)) + body[:sent])
	eventually(t, "nor for a batch", func() bool { return second.unread() == 0 })
	second.send(body[sent:] + "\r\n")
	second.expect("OUT_OF_MEMORY")
	usual := strings.Repeat("x", begins)
	second.send(fmt.Sprintf("put 0 0 60 %d\r\n", begins) + usual[:9])
	second.send(usual[9:] + "\r\n")
	second.inserted()
	other := h.dial()
	half(other)
	other.send(body[sent:] + "\r\n")
	other.inserted()
	other.close()
	first.send(body[sent:] + "\r\n")
	first.inserted()
	half(second)
	second.send(body[sent:] + "\r\n")
	second.inserted()
	half(third)
	third.close()
	eventually(t, "nothing is held", func() bool { return h.server.bodies.Held() == 0 && h.owned() == 4 })
}
