package beanstalk

import (
	"crypto/tls"
	"io"
	"testing"

	"beanfield/conn/secure"
	"beanfield/storage/must"
)

// Ten thousand half handshakes, of clients that stop at different points, take the
// descriptors and the memory of as many as may be under way. Those who have waited longest
// are sent away. Clients that are in are served meanwhile, and new ones come in.
func TestTenThousandHalfHandshakes(t *testing.T) {
	const n, memoryEach = 10_000, 48 << 10
	if got := descriptors(t, n+1000); got < n+1000 {
		t.Skipf("only %d descriptors", got)
	}
	s := startChild(t, 0)
	enter := func() *client {
		c := newClient(t, must.Get(tls.Dial("tcp", s.sealed, stranger())))
		c.do("list-tube-used", "USING default")
		return c
	}
	other := enter()
	before, total := s.ask("memory")[2], s.ask("open")[2]
	h := string(hello(t))
	begin := []string{"", h[:3], h[:len(h)/2], h[:len(h)-1]}
	var halves []*client
	for i := range n {
		half := dial(t, "tcp", s.sealed)
		halves = append(halves, half)
		text := begin[i%len(begin)]
		if i%10 == 0 {
			text = h // the server has to answer
		}
		io.WriteString(half.nc, text) // it may have been sent away
		if i%1000 == 0 {
			other.do("list-tube-used", "USING default")
		}
	}
	const most = secure.MostHandshakes + 1 // with the other
	// Those who are still on their way in send others away later, whoever has waited longest then.
	eventually(t, "all are in, and the first have been sent away", func() bool {
		return s.ask("open")[2] == total+n && s.ask("open")[0] <= most
	})
	atMost(t, "they take", secure.MostHandshakes*memoryEach, func() int64 { return s.ask("memory")[2] - before })
	other.do("list-tube-used", "USING default")
	enter()
	for _, half := range halves[:n/2] { // later ones may have waited since a later message of theirs
		half.drain()
	}
}
