package queueservice

import (
	"bytes"
	"errors"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// narrow is a socket that takes so many bytes.
type narrow struct {
	lone *lone
	room int
	took []byte
	meet func() // what happens meanwhile
}

func (n *narrow) Control(func(uintptr)) error {
	n.meet()
	if n.room < 0 {
		return errors.New("closed")
	}
	n.lone.n = min(n.room, len(n.lone.frame))
	n.took = append(n.took, n.lone.frame[:n.lone.n]...)
	return nil
}

func (*narrow) Read(func(uintptr) bool) error  { return nil }
func (*narrow) Write(func(uintptr) bool) error { return nil }

// A lone item is written while the writer sleeps, as far as the socket takes it. What
// it does not take the writer writes first.
func TestLoneItem(t *testing.T) {
	for _, room := range []int{-1, 0, 1, 6, 7, 1000} {
		box, out, shards := &outbox{aloneMost: 250}, &bytes.Buffer{}, &desk{}
		box.init()
		w := writer{party: strangers(&queue.Limits{MaxUnsent: 1000}), shards: shards, box: box, to: out}
		socket := &narrow{room: room, meet: func() { box.Receive(packed(sent{2, nil, "b"}), true) }}
		socket.lone = &lone{writer: &w, raw: socket}
		box.lone = socket.lone
		if _, some := box.take(load{}); some {
			t.Fatal("there is something")
		}
		box.Receive(packed(sent{1, nil, "a"}), true)
		if len(box.wake) != 1 {
			t.Errorf("room for %d: the writer is not woken", room)
		}
		l, _ := box.take(load{})
		must.Do(t, w.write(l))
		if all := string(socket.took) + out.String(); all != "\x82\x05\x08\x01\x1a\x01a"+"\x82\x05\x08\x02\x1a\x01b" {
			t.Errorf("room for %d: %q", room, all)
		}
		if w.weight != 66 {
			t.Errorf("room for %d: %d are counted", room, w.weight)
		}
	}
}

// A pong leaves without the writer, too, and what comes meanwhile comes after it.
func TestLonePong(t *testing.T) {
	for _, room := range []int{-1, 0, 1, 3, 1000} {
		box, out := &outbox{}, &bytes.Buffer{}
		box.init()
		w := writer{party: strangers(someLimits), box: box, to: out}
		socket := &narrow{room: room, meet: func() { box.say(ws.OpPong, []byte("2")) }}
		socket.lone = &lone{writer: &w, raw: socket}
		box.lone = socket.lone
		box.take(load{})
		box.say(ws.OpPong, []byte("1"))
		l, _ := box.take(load{})
		must.Do(t, w.write(l))
		if all := string(socket.took) + out.String(); all != "\x8a\x011\x8a\x012" {
			t.Errorf("room for %d: %q", room, all)
		}
	}
}

// QS5: the rest of a frame is written even if another connection has taken over: the close
// frame must not stand inside it.
func TestLoneItemOfReplaced(t *testing.T) {
	box, out := &outbox{}, &bytes.Buffer{}
	box.init()
	w := writer{party: strangers(someLimits), box: box, to: out}
	socket := &narrow{room: 3, meet: func() {}}
	socket.lone = &lone{writer: &w, raw: socket}
	box.lone = socket.lone
	box.take(load{})
	box.Receive(packed(sent{1, nil, "a"}), true)
	box.Replaced()
	w.run()
	if got := out.String(); len(got) < 8 || got[:5] != "\x01\x1a\x01a\x88" {
		t.Errorf("%q", got)
	}
}

// Lone items are reported, before the shard stops to push.
func TestLoneItemsAreReported(t *testing.T) {
	limits := *someLimits
	limits.MaxUnsent = 400
	h := newHouse(t, nil, func(o *Options) { o.LimitsFor = func(string) *queue.Limits { return &limits } })
	c := h.watch("", "")
	box := c.box.(*outbox)
	for i := range 20 {
		box.mu.Lock()
		box.pushed = 0 // as if it were long ago
		box.mu.Unlock()
		box.Receive(packed(sent{uint64(i), nil, ""}), true)
		if h, _ := c.frame(); h.OpCode != ws.OpBinary {
			t.Errorf("frame %d", h.OpCode)
		}
	}
	if op := h.await(t, queue.AskSent, 2); op.Ask.Bytes < 100 {
		t.Errorf("%d are reported", op.Ask.Bytes)
	}
}

// Who brings many items does not write them.
func TestLoneItemOfCrowd(t *testing.T) {
	p := packed(sent{1, nil, "a"})
	l := &lone{}
	if !l.suits(p) {
		t.Error("a lone item is not written alone")
	}
	if p.Crowd = true; l.suits(p) {
		t.Error("one of a crowd is written alone")
	}
}
