package queueservice

import (
	"errors"
	"testing"

	"beanfield/shard/queue/policy"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// narrow is a socket that takes so many bytes.
type narrow struct {
	by   *direct
	room int
	took []byte
	meet func() // what happens meanwhile
}

func (n *narrow) Control(func(uintptr)) error {
	n.meet()
	if n.room < 0 {
		return errors.New("closed")
	}
	n.by.n = min(n.room, len(n.by.frame))
	n.took = append(n.took, n.by.frame[:n.by.n]...)
	return nil
}

func (n *narrow) direct() *direct {
	n.by = &direct{raw: n}
	return n.by
}

func (*narrow) Read(func(uintptr) bool) error  { return nil }
func (*narrow) Write(func(uintptr) bool) error { return nil }

// QS5: a pong leaves without the writer, and what comes meanwhile comes after it, a pong or an
// item. For that the writer is woken.
func TestPongWithoutWriter(t *testing.T) {
	var box *outbox
	for _, c := range []struct {
		meet func()
		then string
	}{
		{func() { box.say(ws.OpPong, []byte("2")) }, "\x8a\x012"},
		{func() { box.Receive(packed(sent{2, nil, "b"}), true) }, "\x82\x05\x08\x02\x1a\x01b"},
	} {
		for _, room := range []int{-1, 0, 1, 3, 1000} {
			w, out := newWriter(&policy.Limits{})
			box = w.box
			socket := &narrow{room: room, meet: c.meet}
			box.direct = socket.direct()
			box.take(load{})
			box.say(ws.OpPong, []byte("1"))
			if len(box.wake) != 1 {
				t.Errorf("room for %d: the writer is not woken", room)
			}
			l, _ := box.take(load{})
			must.Do(t, w.write(l))
			if all := string(socket.took) + out.String(); all != "\x8a\x011"+c.then {
				t.Errorf("room for %d: %q", room, all)
			}
		}
	}
}

// QS5: the rest of a frame is written even if another connection has taken over: the close
// frame must not stand inside it.
func TestPongOfReplaced(t *testing.T) {
	w, out := newWriter(someLimits)
	box := w.box
	box.direct = (&narrow{room: 2, meet: func() {}}).direct()
	box.take(load{})
	box.say(ws.OpPong, []byte("1"))
	box.Replaced()
	w.run()
	if got := out.String(); len(got) < 4 || got[:2] != "1\x88" {
		t.Errorf("%q", got)
	}
}
