package beanstalk

import (
	"bytes"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// A connection that has had its share stops although its socket would take
// more, and is told again at the loop's next look.
func TestSendsInShares(t *testing.T) {
	l, near, far := loopOverPair(t)
	c := &Conn{loop: l, fd: near}

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
		events := l.poll.Peek()
		if len(events) != 1 || events[0].Events&syscall.EPOLLOUT == 0 {
			t.Fatalf("turn %d: the loop is not told to go on: %v", turn, events)
		}
		l.share = share
		c.unstick()
	}
	got := make([]byte, 2*len(want))
	if n, err := syscall.Read(far, got); err != nil || !bytes.Equal(got[:n], want) {
		t.Errorf("%d bytes have come, or in another order: %v", n, err)
	}
	if c.polling {
		t.Error("room in the socket is still watched for")
	}
}

// loopOverPair is a loop that does not run and watches one end of a pair of
// sockets.
func loopOverPair(t *testing.T) (l *loop, near, far int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
	})
	l = must.Get(newLoop(nil))
	t.Cleanup(l.poll.Close)
	must.Do(t, l.poll.Add(fds[0]))
	l.poll.Peek() // the registration's own event
	return l, fds[0], fds[1]
}
