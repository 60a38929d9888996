package queueservice

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// A query is understood as net/url understands it, or refused.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "a=b&c", "_index_=1&_indexes_=1%2C7", "a=%", "a=%zz", "+=+", "a=1&a=2", "&&=",
		"_timeout_=1m0s&_window_=-1", "%ff=1", "a;b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw)
		if err != nil {
			return
		}
		q.indexes()
		q.timeout()
		for p := range params {
			q.bool(p, false)
			q.index(p)
			if n, err := q.count(p, 1, 10); err == nil && (n < 0 || n > 10) {
				t.Errorf("a count of %d", n)
			}
		}
		tags := queue.MakeTags(q.tags)
		for k, v := range tags.All() {
			if !utf8.Valid(k) || !utf8.Valid(v) || len(k) == 0 || k[0] == '_' {
				t.Errorf("tag %q=%q", k, v)
			}
		}
		if strings.Contains(raw, ";") {
			return // net/url refuses these
		}
		want, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatalf("%q is understood, but: %v", raw, err)
		}
		for k := range want {
			if !strings.HasPrefix(k, "_") && q.tags[k] != want.Get(k) {
				t.Errorf("%q: %q, want %q", k, q.tags[k], want.Get(k))
			}
		}
	})
}

// What is encoded can be read again, as protobuf and as JSON.
func FuzzCodec(f *testing.F) {
	f.Add(uint64(13), "requestId", "0000000d-rid", []byte("0"))
	f.Add(uint64(1<<63), "", "\xff\"\\\n", []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, index uint64, key, value string, body []byte) {
		want := sent{index, map[string]string{key: value}, string(body)}
		p := packed(want)
		if len(body)%2 > 0 { // in parts
			p.Items[0].BodyEnd, p.Items[0].Large = p.Items[0].BodyAt, [][]byte{body[:len(body)/3], body[len(body)/3:]}
		}
		for _, withData := range []bool{true, false} {
			frame := appendFrameHead(nil, p, 0, withData)
			if withData {
				frame = appendBody(frame, p, 0)
			} else {
				want.body = ""
			}
			if len(frame) != sizeFrame(p, 0, withData) {
				t.Errorf("%d bytes, foretold %d", len(frame), sizeFrame(p, 0, withData))
			}
			if got := frameOf(t, frame); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		key, value = strings.ToValidUTF8(key, "\ufffd"), strings.ToValidUTF8(value, "\ufffd")
		if strings.Contains(key+value, "\ufffd") {
			return // how many replacement characters there are is a matter of taste
		}
		var got struct {
			Index  uint64
			Tags   map[string]string
			Data   *string
			Data64 []byte
		}
		must.Do(t, json.Unmarshal(appendItemJSON(nil, p, 0, true), &got))
		if got.Data != nil {
			got.Data64 = []byte(*got.Data)
		}
		if got.Index != index || got.Tags[key] != value || !bytes.Equal(got.Data64, body) {
			t.Errorf("%+v", got)
		}
	})
}

// QS6: whatever a client sends over WebSocket, it is read without a panic and within the
// bounds, in pieces of any size as in one.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(masked(ws.OpPing, "ping")+masked(ws.OpText, `{"commit":[1]}`)), uint8(0))
	f.Add([]byte("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff0000"), uint8(3))
	f.Add([]byte("\x01\x81abcdX\x89\x80abcd\x80\x81abcdY"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, piece uint8) {
		whole := readAll(t, bytes.NewReader(text))
		cut := readAll(t, &pieces{text, int(piece) + 1})
		if whole != cut {
			t.Errorf("%q, in pieces %q", whole, cut)
		}
	})
}

type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// readAll tells what messages a client's bytes are, and how they end.
func readAll(t *testing.T, r io.Reader) string {
	var all strings.Builder
	in := frames{from: r, most: 1000}
	for {
		m, err := in.next()
		var why *misconduct
		if errors.As(err, &why) {
			if b := ws.NewCloseFrameBody(why.code, why.text); len(b) > 125 {
				t.Errorf("a close frame with %d bytes", len(b))
			}
			return all.String() + why.text
		}
		if err != nil {
			return all.String() + err.Error()
		}
		if len(m.payload) > 1000 || len(in.data) > 1000 {
			t.Errorf("%d bytes are kept", len(m.payload))
		}
		if m.op == ws.OpClose {
			closeCode(m.payload)
		}
		if o, err := parseOrder(m.payload); err == nil && (o.Commit == nil) == (o.Negative == nil) {
			t.Errorf("order %+v", o)
		}
		all.WriteString(string(rune('0'+m.op)) + string(m.payload) + "\n")
	}
}

// Whatever follows a handshake, the watch ends when the client has sent all, and the
// consumer leaves once; what is sent back is whole frames.
func FuzzWatch(f *testing.F) {
	f.Add([]byte(masked(ws.OpPing, "ping")+masked(ws.OpText, `{"commit":[1],"id":1}`)+masked(ws.OpClose, "\x03\xe8")),
		true)
	f.Add([]byte(masked(ws.OpText, `{"negative":[1],"code":"Shutdown"}`)+masked(ws.OpText, "{")), true)
	f.Add([]byte(masked(ws.OpBinary, "x")), false)
	f.Add([]byte("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff0000"), false)
	h := newHouse(f, nil)
	f.Fuzz(func(t *testing.T, text []byte, json bool) {
		h.T = t
		h.forget()
		headers := handshakeText
		if json {
			headers += "Sec-WebSocket-Protocol: " + SubprotocolJSON + "\r\n"
		}
		c := h.dial()
		defer c.Close()
		c.Send(httpfronttest.Request("GET", base+"?_watch_=true", headers, "") + string(text))
		c.Conn.(*net.TCPConn).CloseWrite()
		if status, reply := c.handshaken(); status != 101 {
			t.Fatal(reply)
		}
		for {
			hd, err := ws.ReadHeader(c.In)
			if err == io.EOF {
				break
			}
			if err == nil {
				_, err = io.CopyN(io.Discard, c.In, hd.Length)
			}
			if err != nil {
				t.Fatal(err)
			}
			if hd.Masked || hd.Rsv != 0 || !hd.Fin || hd.OpCode.IsReserved() {
				t.Errorf("header %+v", hd)
			}
		}
		h.await(t, queue.AskLeave, 1)
	})
}
