package queueservice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"

	"github.com/gobwas/ws"
)

const handshakeText = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-Websocket-Key: " +
	"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-Websocket-Version: 13\r\n"

const handshakeReply = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

// watcher is a client that watches, and its place in the shard.
type watcher struct {
	*client
	box queue.Receiver
}

// watch connects a consumer.
func (h *house) watch(parameters, headers string) *watcher {
	h.T.Helper()
	before := h.times(queue.AskWatch)
	c := h.start("GET", "/api/predict/s?_watch_=true"+parameters, who+handshakeText+headers, "")
	reply := make([]byte, len(handshakeReply))
	if _, err := io.ReadFull(c.In, reply); err != nil || string(reply) != handshakeReply {
		h.T.Fatalf("handshake %q, %v", reply, err)
	}
	return &watcher{c, h.await(h.T, queue.AskWatch, before+1).Ask.Receiver}
}

// frame reads a frame as it is.
func (c *client) frame() (ws.Header, []byte) {
	c.T.Helper()
	h, payload, err := c.next()
	if err != nil {
		c.T.Fatal(err)
	}
	if h.Masked || h.Rsv != 0 || !h.Fin {
		c.T.Errorf("header %+v", h)
	}
	return h, payload
}

// next is frame for a client that may be sent away.
func (c *client) next() (h ws.Header, payload []byte, err error) {
	if h, err = ws.ReadHeader(c.In); err != nil {
		return h, nil, err
	}
	payload = make([]byte, h.Length)
	_, err = io.ReadFull(c.In, payload)
	return h, payload, err
}

// expect reads a frame that must be this one.
func (c *client) expect(op ws.OpCode, payload string) {
	c.T.Helper()
	if h, got := c.frame(); h.OpCode != op || string(got) != payload {
		c.T.Errorf("frame %d %q, want %d %q", h.OpCode, got, op, payload)
	}
}

// closes expects a close frame with a code, and then the end.
func (c *client) closes(code ws.StatusCode) {
	c.T.Helper()
	c.closing(code)
	c.ended()
}

// sentAway is closes for a client that the server ends: it answers, so that the server need not wait for it.
func (c *client) sentAway(code ws.StatusCode) {
	c.T.Helper()
	c.Send(masked(ws.OpClose, c.closing(code)))
	c.ended()
}

func (c *client) closing(code ws.StatusCode) (payload string) {
	c.T.Helper()
	h, got := c.frame()
	if h.OpCode != ws.OpClose || len(got) < 2 || binary.BigEndian.Uint16(got) != uint16(code) {
		c.T.Errorf("frame %d %q, want a close frame with %d", h.OpCode, got, code)
	}
	return string(got)
}

// masked is a frame as a client sends it.
func masked(op ws.OpCode, payload string) string {
	var b bytes.Buffer
	ws.WriteFrame(&b, ws.MaskFrame(ws.NewFrame(op, true, []byte(payload))))
	return b.String()
}

// Items come in the order of the delivery batches, each as one binary frame, also large ones
// and ones of odd sizes; over TLS too.
func TestFrames(t *testing.T) {
	for _, secured := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%v", secured), func(t *testing.T) { pushFrames(t, openHouse(t, nil, secured)) })
	}
}

func pushFrames(t *testing.T, h *house) {
	c := h.watch("&_window_=100", "")
	var want []string
	for i, size := range []int{0, 1, 100, 125, 126, 65535, 65536, 200000} {
		body := strings.Repeat("x", size)
		p := packed(sent{uint64(i + 1), map[string]string{"k": "v"}, body}, sent{uint64(i + 100), nil, "y"})
		if size > 60000 {
			p.Items[0].BodyEnd, p.Items[0].Large = p.Items[0].BodyAt, [][]byte{[]byte(body[:1000]), []byte(body[1000:])}
		}
		for j := range p.Items {
			want = append(want, string(appendBody(appendFrameHead(nil, p, j, true), p, j)))
		}
		c.box.Receive(p, true)
	}
	for _, w := range want {
		c.expect(ws.OpBinary, w)
	}
	c.Send(masked(ws.OpPing, "ping"))
	c.expect(ws.OpPong, "ping")
	c.Send(masked(ws.OpPing, "") + masked(ws.OpPong, "ignored") + masked(ws.OpPing, "again"))
	c.expect(ws.OpPong, "")
	c.expect(ws.OpPong, "again")
}

// What net/http has read beyond the handshake is not lost.
func TestFramesWithTheHandshake(t *testing.T) {
	h := newHouse(t, nil)
	c := h.dial()
	long := strings.Repeat("p", 125)
	pings := strings.Repeat(masked(ws.OpPing, long), 8)
	c.Send(httpfronttest.Request("GET", "/api/predict/s?_watch_=true", handshakeText, "") + pings)
	io.ReadFull(c.In, make([]byte, len(handshakeReply)))
	for range 8 {
		c.expect(ws.OpPong, long)
	}
	if op := h.last(t); op.Ask.Group != "default_group" || len(op.Ask.User) != 36 || op.Ask.Window != 1 {
		t.Errorf("%+v", op.Ask)
	}
}

// QS1: all that is written is reported, in batches, to the last eighth of the limit and
// never more than that late.
func TestSentIsReported(t *testing.T) {
	h := newHouse(t, nil, limited(func(l *policy.Limits) { l.MaxUnsent = 1000 }))
	c := h.watch("", "")
	total, reports := 0, 0
	for i := range 100 {
		p := packed(sent{uint64(i + 1), nil, strings.Repeat("z", i)})
		total += p.Weight()
		c.box.Receive(p, true)
		c.frame()
	}
	c.Send(masked(ws.OpClose, ""))
	c.closes(1000)
	h.await(t, queue.AskLeave, 1)
	reported := 0
	for _, op := range h.asked {
		if op.Ask.What == queue.AskSent {
			reports++
			reported += op.Ask.Bytes
			if op.Ask.Receiver != c.box || op.Ask.Bytes < 250 || op.Ask.Bytes >= 250+32+100 {
				t.Errorf("a report of %d", op.Ask.Bytes)
			}
		}
	}
	if late := total - reported; late < 0 || late >= 250 {
		t.Errorf("%d are reported of %d, in %d reports", reported, total, reports)
	}
}

// A delivery batch that the writer has not begun to write when another connection takes over, or
// when the group is removed, is not written.
func TestReplacedBeforeWriting(t *testing.T) {
	for _, end := range []func(*outbox){(*outbox).Replaced, (*outbox).Removed} {
		for _, p := range []*queue.DeliveryBatch{bulky(1), packed(sent{1, nil, "a"})} {
			w, out := newWriter(someLimits)
			w.box.Receive(p, true)
			l, _ := w.box.take(load{})
			end(w.box)
			if err := w.write(l); err != errReplaced || out.Len() > 0 {
				t.Errorf("%d bytes, %v", out.Len(), err)
			}
		}
	}
}

// A peer that is silent is sent a ping, and leaves if it does not answer.
func TestDeadPeer(t *testing.T) {
	patiently(t, func(limit time.Duration) error {
		h := newHouse(t, nil, func(o *Options) { o.DeadAfter = limit })
		defer h.Close()
		alive, dead := h.watch("&_window_=1", ""), h.watch("&_window_=2", "")
		defer alive.Close()
		defer dead.Close()
		for range 3 {
			hd, _, err := alive.next()
			if err != nil || hd.OpCode != ws.OpPing {
				return fmt.Errorf("the living one gets frame %d, %v", hd.OpCode, err)
			}
			io.WriteString(alive, masked(ws.OpPong, ""))
		}
		if left := h.await(t, queue.AskLeave, 1); left.Ask.Receiver != dead.box {
			return errors.New("the living one leaves")
		}
		dead.expect(ws.OpPing, "")
		rest, _ := io.ReadAll(dead.In)
		if len(rest) > 0 && rest[0] != 0x88 {
			t.Errorf("%q", rest)
		}
		return nil
	})
}

// A buffer that has grown beyond the usual is not used again.
func TestHugeBuffersAreLetGo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what is put into the pool is what comes out next
	for range 50 {
		w := writer{box: &outbox{}}
		b := make([]byte, 0, mostBuffer+1)
		w.buffer = &b
		w.rest()
		if w.buffer != nil {
			t.Fatal("the writer still has the buffer")
		}
		if next := buffers.Get().(*[]byte); cap(*next) > mostBuffer {
			t.Fatalf("a buffer of %d bytes is used again", cap(*next))
		}
	}
}
