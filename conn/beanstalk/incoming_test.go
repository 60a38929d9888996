package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// Of a batch that can do nothing, no byte is kept, and it is refused behind its body. Whoever holds a job may do with
// it what he likes.
func TestBatchesRefusedAtTheLine(t *testing.T) {
	h, book := newRuled(t, rule("none", access.Stats, "*"), rule("worker", access.Reserve, "*"))
	holder, id := h.as("worker"), h.as("admin").put(0, 0, 60, "x")
	holder.do("reserve", fmt.Sprintf("RESERVED %d 1\r\nx", id))
	nobody, reader := h.newcomer(), h.as("none")
	for _, k := range []struct {
		line, nobody, reader string
	}{
		{"put-batch", "BAD_FORMAT", "BAD_FORMAT"},
		{"delete-batch", "NOT_FOUND", "NOT_FOUND"},
		{"release-batch 0 0", "NOT_FOUND", "RELEASED_BATCH 0 1"},
		{"bury-batch 0", "NOT_FOUND", "BURIED_BATCH 0 1"},
		{"touch-batch", "NOT_FOUND", "TOUCHED_BATCH 0 1"},
	} {
		size := 9000
		if k.line == "put-batch" {
			size = 200_000 // beyond what is not counted; the others are shorter
		}
		nobody.send(fmt.Sprintf("%s %d\r\n", k.line, size) + strings.Repeat(" ", size-1000))
		eventually(t, "it is read", func() bool { return nobody.unread() == 0 })
		if n := h.server.bodies.Held(); n != 0 {
			t.Errorf("%s: %d bytes are kept", k.line, n)
		}
		nobody.send(strings.Repeat(" ", 1000) + "\r\n")
		nobody.expect(k.nobody)
		reader.do(k.line+" 3\r\n999", k.reader)
	}
	book.Replace(rules(t))
	list := fmt.Sprint(id)
	for _, k := range [][2]string{{"touch-batch", "TOUCHED_BATCH 1 0"}, {"delete-batch", "DELETED_BATCH 1 0"},
		{"delete-batch", "NOT_FOUND"}} {
		holder.do(fmt.Sprintf("%s %d\r\n%s", k[0], len(list), list), k[1])
	}
}

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
