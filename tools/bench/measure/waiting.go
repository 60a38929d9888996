//go:build linux

package measure

import (
	"fmt"
	"io"
	"net"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
)

// waiting are connections that only wait, so that their memory can be measured.
type waiting []net.Conn

func (w *waiting) close() {
	for _, c := range *w {
		c.Close()
	}
}

func (w *waiting) open(t *load.Target, ld *load.Load) error {
	if ld.Kind == load.Gets {
		return w.gets(t, ld.Connections)
	}
	for i := range ld.Connections {
		conn, err := one(t, ld, i)
		if err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
		*w = append(*w, conn)
	}
	return nil
}

// one is a consumer, which is pushed nothing, or runs one command, so that the server has had to make its buffers, and
// then says nothing more.
func one(t *load.Target, ld *load.Load, i int) (net.Conn, error) {
	if ld.Kind == load.Consumers {
		return t.Watch(i, "_window_=100")
	}
	conn, _, c, err := t.Dial(ld.TLS)
	if err != nil {
		return nil, err
	}
	r, err := c.Ask("reserve-with-timeout 0")
	if err == nil {
		err = r.Want("TIMED_OUT")
	}
	return conn, err
}

// gets each wait for a request id of their own on one queue. The last one gets its item, which shows that the server
// has come to all of them.
func (w *waiting) gets(t *load.Target, n int) error {
	visit := func(method, query string, user int, rest string) (*socket.Requester, error) {
		conn, err := net.Dial("tcp", t.Queue)
		if err != nil {
			return nil, err
		}
		*w = append(*w, conn)
		v := socket.NewRequester(conn, 512)
		_, err = io.WriteString(v, socket.Request(method, "bench-gets/sink", query, load.UserName(user), "bench")+rest)
		return v, err
	}
	var last *socket.Requester
	for i := range n + 1 {
		var err error
		last, err = visit("GET", fmt.Sprintf("requestId=r%d&_timeout_=300s", i), i, "Content-Length: 0\r\n\r\n")
		if err != nil {
			return fmt.Errorf("get %d: %w", i, err)
		}
	}
	put, err := visit("POST", fmt.Sprintf("requestId=r%d", n), n, "Content-Length: 4\r\n\r\nitem")
	for _, v := range []*socket.Requester{put, last} {
		if err == nil {
			err = v.Head("HTTP/1.1 200 ")
		}
	}
	return err
}
