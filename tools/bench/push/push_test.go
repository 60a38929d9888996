package push

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/testserver"
	"beanfield/tools/server"
)

func TestLoads(t *testing.T) {
	s := testserver.Launch(t)
	target := generator.Target{Addr: s.Addr, Queue: s.Queue, PID: s.PID(), Owned: true}
	set := generator.Settings{Wait: generator.WaitEpoll, Say: func(string, ...any) {}}
	short := func(kind string, window, commit int) load.Load {
		ld := load.Default()
		ld.Kind, ld.Window, ld.Commit, ld.Producers, ld.Connections, ld.Depth = kind, window, commit, 2, 6, 4
		ld.Warmup, ld.Duration = 20*time.Millisecond, 200*time.Millisecond
		return ld
	}
	ahead := short(load.KindPush, 0, 0)
	ahead.Ahead = 5
	for name, ld := range map[string]load.Load{
		"auto-commit": short(load.KindPush, 0, 0), "windows": short(load.KindPush, 10, 7), "ahead": ahead, "a window of one": short(load.KindPush, 1, 1),
	} {
		if res, err := Measure(t.Context(), target, ld, set); err != nil || res.Ops == 0 || res.OpsPerSec <= 0 {
			t.Errorf("%s: %+v %v", name, res, err)
		}
	}
	for _, kind := range []string{load.KindPushOne, load.KindWakeOne} {
		if res, err := MeasureOne(t.Context(), target, short(kind, 0, 0), set); err != nil || res.Latency["all"].P50 <= 0 {
			t.Errorf("%s: %+v %v", kind, res, err)
		}
	}
	for name, open := range map[string]func(generator.Target, int) ([]int, error){"consumers": OpenConsumers, "gets": OpenGets} {
		fds, err := open(target, 20)
		if err != nil || len(fds) < 20 {
			t.Errorf("%s: %d, %v", name, len(fds), err)
		}
		socket.CloseAll(fds)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ended, target, short(load.KindPush, 0, 0), set); err == nil {
		t.Error("a run that was cancelled has a result")
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
	c := &consumer{run: &run{body: []byte("body"), ledger: generator.NewLedger()}}
	item := func(text string) []byte { return append([]byte{frameBinary, byte(len(text))}, text...) }
	if used, err := c.Take(item("\x08\x05\x1a\x04body")); err != nil || used != 10 || c.run.done != 1 {
		t.Fatal(used, err)
	}
	for text, want := range map[string]string{
		"\x08\x05\x1a\x04body": "came twice", "\x08\x06\x1a\x04bode": "another body", "\x1a\x04body": "without an index", "": "without an index",
	} {
		if _, err := c.Take(item(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	m := &committer{run: c.run, sent: 1}
	for _, text := range []string{"HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\nno", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK!"} {
		if _, err := m.Take([]byte(text)); err == nil {
			t.Errorf("%q passes", text)
		}
	}
	p := &producer{run: c.run, left: 1}
	if _, err := p.Take([]byte("OUT_OF_MEMORY\r\n")); err == nil {
		t.Error("a put that failed passes")
	}
}

func TestMain(m *testing.M) {
	if err := server.RaiseFileLimit(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
