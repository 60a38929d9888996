package conn

import (
	"bytes"
	"syscall"
	"testing"
)

// A connection that has had its share stops although its socket would take
// more, and is told again at the loop's next look.
func TestSendsInShares(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	l, err := newLoop(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.poll.close()
	if err := l.poll.add(fds[0]); err != nil {
		t.Fatal(err)
	}
	l.poll.peek() // the registration's own event
	c := &Conn{loop: l, fd: fds[0]}

	const share = 1000
	want := bytes.Repeat([]byte("0123456789"), 410) // four shares and a rest
	left := func() (n int) {
		for _, b := range c.stuck {
			n += len(b)
		}
		return n
	}
	l.share = share
	l.out = append(l.out, want[:3500]...)
	c.send()
	l.out = append(l.out, want[3500:]...) // joins what is stuck
	c.send()
	// Nobody reads meanwhile: the socket itself has nothing new to say.
	for turn := 1; c.stuck != nil; turn++ {
		if n := len(want) - left(); n != turn*share {
			t.Fatalf("after %d turns %d bytes have been sent", turn, n)
		}
		events := l.poll.peek()
		if len(events) != 1 || events[0].Events&syscall.EPOLLOUT == 0 {
			t.Fatalf("turn %d: the loop is not told to go on: %v", turn, events)
		}
		l.share = share
		c.unstick()
	}
	got := make([]byte, 2*len(want))
	if n, err := syscall.Read(fds[1], got); err != nil || !bytes.Equal(got[:n], want) {
		t.Errorf("%d bytes have come, or in another order: %v", n, err)
	}
	if c.polling {
		t.Error("room in the socket is still watched for")
	}
}
