package queueservice

import (
	"bytes"
	"strings"
	"testing"

	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// raw is a frame with any header.
func raw(h ws.Header, payload string) string {
	var b bytes.Buffer
	h.Length = max(h.Length, int64(len(payload)))
	ws.WriteHeader(&b, h)
	body := []byte(payload)
	if h.Masked {
		ws.Cipher(body, h.Mask, 0)
	}
	return b.String() + string(body)
}

// Frames that a client must not send end the connection with the right code.
func TestMisconduct(t *testing.T) {
	h := newHouse(t, nil)
	ok := ws.Header{Fin: true, Masked: true, Mask: [4]byte{1, 2, 3, 4}}
	change := func(set func(*ws.Header)) ws.Header {
		hd := ok
		set(&hd)
		return hd
	}
	for name, c := range map[string]struct {
		frame string
		code  ws.StatusCode
	}{
		"text":            {masked(ws.OpText, "hello"), 1003},
		"binary":          {masked(ws.OpBinary, strings.Repeat("x", 100000)), 1003},
		"announced":       {raw(change(func(hd *ws.Header) { hd.OpCode, hd.Length = ws.OpBinary, 1<<40 }), ""), 1003},
		"length":          {"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff0000", 1002},
		"unmasked":        {raw(change(func(hd *ws.Header) { hd.OpCode, hd.Masked = ws.OpPing, false }), "x"), 1002},
		"fragmented ping": {raw(change(func(hd *ws.Header) { hd.OpCode, hd.Fin = ws.OpPing, false }), "x"), 1002},
		"long ping": {raw(change(func(hd *ws.Header) { hd.OpCode = ws.OpPing }), strings.Repeat("x", 126)),
			1002},
		"reserved opcode":   {raw(change(func(hd *ws.Header) { hd.OpCode = 3 }), "x"), 1002},
		"reserved bits":     {raw(change(func(hd *ws.Header) { hd.OpCode, hd.Rsv = ws.OpPing, 4 }), "x"), 1002},
		"stray end":         {raw(change(func(hd *ws.Header) { hd.OpCode = ws.OpContinuation }), "x"), 1002},
		"short close":       {masked(ws.OpClose, "x"), 1002},
		"bad close code":    {masked(ws.OpClose, "\x03\xee"), 1002},
		"close that is bad": {masked(ws.OpClose, "\x03\xe8\xff\xff"), 1002},
		"close with reason": {masked(ws.OpClose, "\x0f\xa0bye"), 4000},
	} {
		t.Run(name, func(t *testing.T) {
			h.forget()
			w := h.watch("", "")
			w.T = t
			w.Send(c.frame)
			w.closes(c.code)
			h.await(t, queue.AskLeave, 1)
		})
	}
}

// Requests that are no handshake, or not allowed, are refused by plain HTTP.
func TestRefusedHandshakes(t *testing.T) {
	h := newHouse(t, nil, func(o *Options) { o.Tokens, o.Origins = []string{"secret"}, []string{"https://good"} })
	const token = "Authorization: secret\r\n"
	json := handshakeText + "Sec-WebSocket-Protocol: chat, beanfield.json\r\n"
	for name, c := range map[string]struct {
		headers, query string
		status         int
	}{
		"no token":     {handshakeText, "", 401},
		"query token":  {handshakeText, "&_token_=secret", 401},
		"no key":       {token + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-Websocket-Version: 13\r\n", "", 400},
		"no upgrade":   {token + "Upgrade: websocket\r\n", "", 400},
		"h2c":          {token + "Connection: Upgrade\r\nUpgrade: h2c\r\n", "", 400},
		"version":      {token + strings.Replace(handshakeText, "13", "8", 1), "", 426},
		"page":         {json + "Origin: https://bad\r\n", "&_token_=secret", 403},
		"page's token": {json + "Origin: https://good\r\n", "&_token_=wrong", 401},
		"window":       {token + handshakeText, "&_window_=x", 400},
	} {
		t.Run(name, func(t *testing.T) {
			h.T = t
			r, body := h.Say("GET", "/api/predict/s?_watch_=true"+c.query, c.headers, "")
			if r.StatusCode != c.status || body == "" || len(body) > 100 {
				t.Errorf("%d %q, want %d", r.StatusCode, body, c.status)
			}
		})
	}
	if n := h.times(queue.AskWatch); n > 0 {
		t.Errorf("%d watches are asked for", n)
	}
	h.T = t
}
