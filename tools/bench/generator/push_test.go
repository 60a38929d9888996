package generator

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/testserver"
)

func TestPushLoads(t *testing.T) {
	s := testserver.Launch(t)
	target := Target{Addr: s.Addr, Queue: s.Queue, PID: s.PID(), Owned: true}
	set := Settings{Wait: WaitEpoll, Say: quiet}
	short := func(kind string, window, commit int) load.Load {
		return brief(func(ld *load.Load) {
			ld.Kind, ld.Window, ld.Commit, ld.Producers, ld.Depth = kind, window, commit, 2, 4
			ld.Duration = 200 * time.Millisecond
		})
	}
	for name, ld := range map[string]load.Load{
		"auto-commit": short(load.KindPush, 0, 0), "windows": short(load.KindPush, 10, 7),
		"a window of one": short(load.KindPush, 1, 1),
		"one pushed":      short(load.KindPushOne, 0, 0), "one reserved": short(load.KindWakeOne, 0, 0),
	} {
		if err := ld.Check(); err != nil {
			t.Fatal(err)
		}
		res, err := Generate(t.Context(), target, ld, set)
		if err != nil || res.Ops == 0 || res.ByCommand["job"] != res.Ops || res.Latency["all"].P50 <= 0 {
			t.Errorf("%s: %+v %v", name, res, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Generate(ended, target, short(load.KindPush, 0, 0), set); err == nil {
		t.Error("a run that was cancelled has a result")
	}
}

// Jobs that come one at a time each find somebody who has waited for a while.
func TestOneAtATime(t *testing.T) {
	l, c := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Producers = load.KindWakeOne, 1 })
	l.run.came = 1000
	for i, want := range []bool{false, true, false} { // then one is in flight
		if _, ok := c.plan.next(c, 999+onePause+int64(i)); ok != want {
			t.Errorf("step %d: it puts: %v", i, ok)
		}
	}
}

// At the end, a consumer commits what would wait for more.
func TestTheRestIsCommitted(t *testing.T) {
	l, _ := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Window, ld.Commit = load.KindPush, 10, 7 })
	wires := must.Get(socket.NewLoop(1))
	defer wires.Close()
	own, other := socketPair(t)
	m := newCommitter(l, 0)
	m.wire = must.Get(wires.Add(own, nil, m))
	l.committers, m.ids, l.run.inFlight, l.run.end = []*committer{m}, []uint64{4, 5}, 2, l.run.now()
	if over, err := l.finished(); over || err != nil {
		t.Errorf("over: %v, %v", over, err)
	}
	b := make([]byte, 1000)
	if n, _ := socket.Read(other, b); n < 1 || !bytes.Contains(b[:n], []byte("_indexes_=4%2C5 ")) {
		t.Errorf("it sent %q", b[:max(0, n)])
	}
}

// Frames are cut off only when they are whole, wherever a read ends.
func TestFrame(t *testing.T) {
	for _, size := range []int{0, 1, 125, 126, 0xffff, 0x10000} {
		b := []byte{frameBinary}
		switch {
		case size < 126:
			b = append(b, byte(size))
		case size <= 0xffff:
			b = binary.BigEndian.AppendUint16(append(b, 126), uint16(size))
		default:
			b = binary.BigEndian.AppendUint64(append(b, 127), uint64(size))
		}
		b = append(b, bytes.Repeat([]byte{7}, size)...)
		for _, part := range []int{0, 1, 2, 3, 9, len(b) - 1} {
			if part = min(part, len(b)-1); part >= 0 {
				if _, _, n := frame(b[:part]); n != 0 {
					t.Errorf("%d bytes of a frame of %d pass for %d", part, len(b), n)
				}
			}
		}
		if kind, payload, n := frame(append(b, 1, 2)); kind != frameBinary || len(payload) != size || n != len(b) {
			t.Errorf("a frame of %d bytes is read as %d with a payload of %d", len(b), n, len(payload))
		}
	}
}

// What a server must not send ends the run.
func TestWrongItems(t *testing.T) {
	l, _ := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Body = load.KindPush, load.Sizes(12, 12) })
	c := &consumer{loop: l}
	const body = "abcdefghijkl"
	item := func(text string) []byte { return append([]byte{frameBinary, byte(len(text))}, text...) }
	l.run.inFlight = 1
	if used, err := c.Take(item("\x08\x05\x1a\x0c" + body)); err != nil || used != 18 || l.run.inFlight != 0 ||
		l.tally.ops[opJob] != 1 {
		t.Fatal(used, err)
	}
	for text, want := range map[string]string{
		"\x08\x05\x1a\x0c" + body: "came twice", "\x08\x06\x1a\x0cabcdefghijkx": "another body",
		"\x1a\x0c" + body: "without an index", "": "without an index",
	} {
		if _, err := c.Take(item(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	m := &committer{loop: l, sent: 1}
	for _, text := range []string{"HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\nno",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK!"} {
		if _, err := m.Take([]byte(text)); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}
