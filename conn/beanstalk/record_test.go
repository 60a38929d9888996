package beanstalk

import (
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/conn/beanstalk/socket"
	"beanfield/storage/must"
)

// sender is a client of TestRecordsInTurn.
type sender struct {
	*client
	far  *hoard
	tls  *socket.TLS
	body string
	ids  []uint64
}

// Connections that read parts of records in turn, on the same loop, do not get each other's
// bytes, and those that have read all keep no buffer.
func TestRecordsInTurn(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.Loops = 1 })
	front := &kept{server: h.server, certs: certificates(t, nil)}
	var all []*sender
	for i := range 6 {
		far := &hoard{Conn: h.pairWith(front)}
		s := &sender{far: far, tls: front.tls, body: fmt.Sprint(i) + bodyOf(100+i*i*1500)}
		s.client = newClient(t, tls.Client(far, trust(t)))
		s.do("list-tube-used", "USING default")
		far.hold = true
		all = append(all, s)
	}
	for range 20 {
		for _, s := range all {
			s.send(fmt.Sprintf("put 0 0 60 %d\r\n%s\r\n", len(s.body), s.body))
		}
		dribble(t, all)
		for _, s := range all {
			s.ids = append(s.ids, s.inserted())
		}
	}
	other := h.pair()
	for i, s := range all {
		for _, id := range s.ids {
			other.send(fmt.Sprintf("peek %d\r\n", id))
			if _, body := other.job("FOUND"); body != s.body {
				t.Fatalf("sender %d: %.20q instead of %.20q", i, body, s.body)
			}
		}
	}
	h.close()
	for i, s := range all {
		if n := s.tls.Buffer(); n > 0 {
			t.Errorf("sender %d has a buffer of %d bytes", i, n)
		}
	}
}

// dribble sends what the senders have to send, in pieces from one and another.
func dribble(t *testing.T, all []*sender) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(all[0].ids))))
	for left := len(all); left > 0; {
		s := all[r.IntN(len(all))]
		if len(s.far.held) == 0 {
			continue
		}
		n := min(len(s.far.held), 1+r.IntN(9000))
		must.Get(s.far.Conn.Write(s.far.held[:n]))
		if s.far.held = s.far.held[n:]; len(s.far.held) == 0 {
			left--
		}
		eventually(t, "it is read", func() bool { return pending(t, s.far.Conn) == 0 })
	}
}
