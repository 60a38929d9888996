package forward

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"

	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// All bytes arrive, in order, both ways, however they are written and read (FW1).
func TestAllBytesInOrder(t *testing.T) { allBytesInOrder(t, newSite(t, plain)) }

func allBytesInOrder(t *testing.T, s *site) {
	s.serves()
	var all sync.WaitGroup
	for range 4 {
		c := s.dial()
		v := s.host.next(t)
		says(t, c, v, "first") // as no front end speaks first
		for _, way := range [][2]net.Conn{{c, v}, {v, c}} {
			seed := [32]byte{byte(rand.Uint32())}
			all.Go(func() {
				from := rand.New(rand.NewChaCha8(seed))
				for range 200 {
					b := make([]byte, 1+from.IntN(1<<from.IntN(17)))
					fillWith(from, b)
					must.Get(way[0].Write(b))
				}
				way[0].(interface{ CloseWrite() error }).CloseWrite()
			})
			all.Go(func() {
				from := rand.New(rand.NewChaCha8(seed))
				for range 200 {
					want := make([]byte, 1+from.IntN(1<<from.IntN(17)))
					fillWith(from, want)
					got := make([]byte, len(want))
					if _, err := io.ReadFull(way[1], got); err != nil || string(got) != string(want) {
						t.Errorf("other bytes arrive, %v", err)
						return
					}
				}
				ended(t, way[1])
			})
		}
	}
	all.Wait()
}

func fillWith(from *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(from.Uint32())
	}
}

// hand is a loop that runs when the test has it run, with one pair.
type hand struct {
	*loop
	p              *pair
	client, server int // the far ends
}

func newHand(t *testing.T) *hand {
	t.Helper()
	l := must.Get(newLoop())
	t.Cleanup(l.poll.Close)
	a := must.Get(socket.Pair())
	b := must.Get(socket.Pair())
	t.Cleanup(func() { syscall.Close(a[0]); syscall.Close(b[0]) })
	h := &hand{l, &pair{client: end{fd: a[1]}, link: end{fd: b[1]}}, a[0], b[0]}
	l.admit(h.p)
	return h
}

// A client that floods has its share of a turn, and then others have theirs (FW4).
func TestShare(t *testing.T) {
	h := newHand(t)
	h.buf = h.buf[:1000]
	must.Get(socket.Write(h.client, make([]byte, 10_000)))
	h.p.client.readable = true
	h.turn(h.p)
	b := make([]byte, 20_000)
	if n, _ := socket.Read(h.server, b); n != readsPerTurn*1000 || len(h.again) != 1 {
		t.Errorf("%d bytes are passed on in a turn, and %d pairs have more to do", n, len(h.again))
	}
}

// What is kept for an end that does not read is bounded, and nothing more is read then (FW3).
func TestSlowReader(t *testing.T) {
	h := newHand(t)
	sent := 0
	for stuck := false; !stuck; {
		n, err := socket.Write(h.client, make([]byte, 1<<20))
		if stuck = err != nil && h.p.link.full(); stuck {
			break
		}
		sent += n
		h.p.client.readable = true
		h.turn(h.p)
	}
	if n := len(h.p.link.kept); n == 0 || n > bufferLength {
		t.Errorf("%d bytes are kept", n)
	}
	got := 0
	for b := make([]byte, 1<<20); got < sent; {
		n, _ := socket.Read(h.server, b)
		got += n
		h.turn(h.p)
	}
	if h.p.link.kept != nil || h.p.link.polling {
		t.Errorf("%+v after all is read", h.p.link)
	}
}

// A descriptor is not free for others before the round is over (FW6).
func TestClosedAtTheEndOfTheRound(t *testing.T) {
	h := newHand(t)
	fd := h.p.client.fd
	var was syscall.Stat_t
	h.end(h.p)
	must.Do(t, syscall.Fstat(fd, &was))
	h.closeGone()
	if err := syscall.Fstat(fd, &was); err != syscall.EBADF {
		t.Errorf("the socket is open: %v", err)
	}
}
