package beanstalk

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"time"

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
		nc := must.Get(tls.Dial("tcp", s.sealed, stranger()))
		c := newClient(t, nc)
		c.do("list-tube-used", "USING default")
		return c
	}
	other := enter()
	before, total := s.ask("memory")[2], s.ask("open")[2]
	h := hello(t)
	begin := [][]byte{nil, h[:3], h[:len(h)/2], h[:len(h)-1]}
	var halves []net.Conn
	for i := range n {
		nc := must.Get(net.Dial("tcp", s.sealed))
		defer nc.Close()
		halves = append(halves, nc)
		text := begin[i%len(begin)]
		if i%10 == 0 {
			text = h // the server has to answer
		}
		nc.Write(text)
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
	for i, nc := range halves[:n/2] { // later ones may have waited since a later message of theirs
		nc.SetReadDeadline(time.Now().Add(patience))
		var ne net.Error
		if _, err := io.Copy(io.Discard, nc); errors.As(err, &ne) && ne.Timeout() {
			t.Fatalf("number %d is still there", i)
		}
	}
}
