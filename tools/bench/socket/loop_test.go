//go:build linux

package socket

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// pair is a socket whose other end the test holds. Both have little room.
func pair(t *testing.T) (own, other int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	for _, fd := range fds {
		must.Do(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 4096))
	}
	t.Cleanup(func() { syscall.Close(fds[1]) })
	return fds[0], fds[1]
}

// words takes words of three bytes.
type words struct{ seen []string }

func (w *words) Take(b []byte) (int, error) {
	used := 0
	for ; len(b)-used >= 3; used += 3 {
		w.seen = append(w.seen, string(b[used:used+3]))
	}
	if strings.HasPrefix(string(b[used:]), "!") {
		return used, errors.New("no word")
	}
	return used, nil
}

func newPair(t *testing.T, p Party) (*Loop, *Conn, int) {
	t.Helper()
	l := must.Get(NewLoop(1))
	t.Cleanup(l.Close)
	fd, other := pair(t)
	c := must.Get(l.Add(fd, nil, p))
	return l, c, other
}

// What is not whole comes again with what follows it, wherever reads end.
func TestWhatArrivesInPieces(t *testing.T) {
	var w words
	l, _, other := newPair(t, &w)
	for _, piece := range []string{"a", "bcd", "ef", "ghijk", "l"} {
		if _, e := Write(other, []byte(piece)); e != 0 {
			t.Fatal(e)
		}
		if n, err := turn(l); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := strings.Join(w.seen, " "); got != "abc def ghi jkl" {
		t.Errorf("it took %s", got)
	}
	Write(other, []byte("!"))
	if _, err := turn(l); err == nil {
		t.Error("an error of the party is lost")
	}
	syscall.Shutdown(other, syscall.SHUT_RDWR)
	if _, err := turn(l); err == nil || !strings.Contains(err.Error(),
		"the server closed the connection of a *socket.words") {
		t.Errorf("after the end: %v", err)
	}
}

// turn looks, and serves what it finds.
func turn(l *Loop) (int, error) {
	n, err := l.Look(0)
	for i := 0; i < n && err == nil; i++ {
		err = l.Serve(i)
	}
	return n, err
}

// What the socket does not take goes out later, in order, and before what is sent next.
func TestSendsWaitForRoom(t *testing.T) {
	l, c, other := newPair(t, &words{})
	var sent, got []byte
	for i := range 4 {
		b := bytes.Repeat([]byte{byte('a' + i)}, 30_000)
		sent = append(sent, b...)
		must.Do(t, c.Send(b))
	}
	buf := make([]byte, 1<<16)
	for len(got) < len(sent) {
		if n, e := Read(other, buf); e == 0 {
			got = append(got, buf[:n]...)
		} else if n, err := turn(l); n != 1 || err != nil {
			t.Fatalf("after %d bytes: %d connections, %v", len(got), n, err)
		}
	}
	if !bytes.Equal(got, sent) {
		t.Error("what arrived is not what was sent")
	}
	if n, err := l.Look(0); n != 0 || err != nil {
		t.Errorf("all is sent, and %d connections have something to do, %v", n, err)
	}
}

// Code that waits goes on step by step, ends with its error, and can be left at any time.
func TestSteps(t *testing.T) {
	turn := &Turn{Context: context.Background()}
	fd, other := pair(t)
	s := &Side{fd: fd, piece: 10, turn: turn}
	defer s.Close()
	b := make([]byte, 10)
	over := errors.New("over")
	next, stop := turn.Steps(func() error {
		if n, err := s.Read(b); n != 3 || err != nil {
			t.Errorf("it read %d bytes, %v", n, err)
		}
		return over
	})
	for range 3 {
		if worked, more, err := next(); worked || !more || err != nil {
			t.Fatal(worked, more, err)
		}
	}
	Write(other, []byte("abc"))
	if worked, more, err := next(); !worked || !more || err != nil {
		t.Fatal(worked, more, err)
	}
	if _, more, err := next(); more || err != over {
		t.Fatal(more, err)
	}
	stop()

	var left error
	next, stop = turn.Steps(func() error { _, left = s.Read(b); return left })
	next()
	if stop(); left != errLeft {
		t.Errorf("what was left has %v", left)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.turn = &Turn{Context: ctx}
	if _, err := s.Read(b); !errors.Is(err, context.Canceled) {
		t.Errorf("it waits on: %v", err)
	}
}
