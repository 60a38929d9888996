package beanstalk

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"beanfield/storage/must"
)

// A loop that ends early must keep the descriptor by which it is woken until all have
// ended: a file that is opened meanwhile would get its number, and the write that wakes the
// loops once more, when the time is over, would go into that file.
func TestShutdownWritesIntoNoFile(t *testing.T) {
	h, _ := stuffed(t, "pair") // the client keeps its loop
	loops := h.server.loops
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- h.shutdown(ctx) }()
	eventually(t, "one loop has ended", func() bool { return loops[0].Ended() || loops[1].Ended() })
	var files []*os.File
	for i := range 8 {
		f := must.Get(os.Create(filepath.Join(t.TempDir(), strconv.Itoa(i))))
		defer f.Close()
		files = append(files, f)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Shutdown: %v", err)
	}
	for i, f := range files {
		if info, err := f.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("file %d, which nobody writes: %d bytes, %v", i, info.Size(), err)
		}
	}
}

// TestShutdown closes waiting, idle, and half-spoken connections.
func TestShutdown(t *testing.T) {
	h := newHouse(t)
	var all []*client
	for _, text := range []string{"", "reserve\r\n", "watch a\r\nwatch b\r\nreserve-with-timeout 1000\r\n",
		"put 0 0 60 5\r\nhel", "sta"} {
		for _, network := range []string{"tcp", "unix"} {
			c := h.connect(network)
			c.do("list-tube-used", "USING default")
			c.send(text)
			all = append(all, c)
		}
	}
	eventually(t, "four wait", func() bool { return h.waiting() == 4 })
	eventually(t, "two bodies are on their way", func() bool { return h.owned() == 2 })
	h.close()
	for _, c := range all {
		c.drain()
	}
	if nc, err := net.Dial("tcp", h.tcp); err == nil {
		nc.Close()
		t.Error("somebody still listens")
	}
}

// TestShutdownOfNewcomers stops the server right after somebody has come.
func TestShutdownOfNewcomers(t *testing.T) {
	for range 50 {
		h := newHouse(t)
		a, b := h.pair(), h.pair()
		h.close()
		a.eof()
		b.eof()
	}
}

// stuffed is a house with a client that does not read a reply for which its socket has no room.
func stuffed(t *testing.T, network string) (*house, *client) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = stuffedWith })
	c := h.connect(network)
	c.put(0, 0, 60, bodyOf(stuffedWith))
	c.send("reserve\r\n")
	c.br.Peek(1)
	return h, c
}

const stuffedWith = 16 << 20

// TestShutdownFlushes stops while a large reply is half read: the reader still gets
// all of it.
func TestShutdownFlushes(t *testing.T) {
	h, c := stuffed(t, "tcp")
	idle := h.pair()
	ended := make(chan error)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ended <- h.shutdown(ctx)
	}()
	idle.eof() // the server stops
	if _, got := c.job("RESERVED"); got != bodyOf(stuffedWith) {
		t.Error("the reply is not whole")
	}
	c.eof()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShutdownDoesNotWaitForever gives a reader that never reads no more time
// than it is told to, and no processor meanwhile.
func TestShutdownDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	h, _ := stuffed(t, "pair")
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	before, begun := h.rounds(), time.Now()
	if err := h.shutdown(ctx); err != context.DeadlineExceeded {
		t.Errorf("Shutdown: %v", err)
	}
	// A loop that stops looks around every 10 ms.
	if n, most := h.rounds()-before,
		2*len(h.server.loops)*(int(time.Since(begun)/(10*time.Millisecond))+quiet); n > most {
		t.Errorf("waiting took %d rounds, want at most %d", n, most)
	}
	eventually(t, "the connection has ended", func() bool { return h.server.open.Load() == 0 })
}
