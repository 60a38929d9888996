package queueservice

import (
	"io"
	"net"
	"testing"

	"beanfield/conn/hall/halltest"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// Whatever follows a handshake, the watch ends when the client has sent all, and the
// consumer leaves once; what is sent back is whole frames.
func FuzzWatch(f *testing.F) {
	f.Add([]byte(masked(ws.OpPing, "ping")+masked(ws.OpText, `{"commit":[1],"id":1}`)+masked(ws.OpClose, "\x03\xe8")), true)
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
		c.Send(halltest.Request("GET", base+"?_watch_=true", headers, "") + string(text))
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
