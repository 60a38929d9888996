package measure

import (
	"fmt"
	"io"
	"net"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// waiting are connections that only wait, so that their memory can be measured.
type waiting []net.Conn

func (w *waiting) close() {
	for _, c := range *w {
		c.Close()
	}
}

func (w *waiting) open(t *generator.Target, ld *load.Load) error {
	one := w.idle
	switch ld.Kind {
	case load.KindConsumers:
		one = w.consumer
	case load.KindGets:
		return w.gets(t, ld.Connections)
	}
	for i := range ld.Connections {
		if err := one(t, ld, i); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return nil
}

// idle runs one command, so that the server has had to make its buffers, and then says nothing more.
func (w *waiting) idle(t *generator.Target, ld *load.Load, _ int) error {
	conn, _, c, err := t.Dial(ld.TLS)
	if err != nil {
		return err
	}
	*w = append(*w, conn)
	return c.Say("reserve-with-timeout 0", "TIMED_OUT")
}

// consumer is pushed nothing.
func (w *waiting) consumer(t *generator.Target, _ *load.Load, i int) error {
	conn, err := t.Watch(i, "_window_=100")
	if err == nil {
		*w = append(*w, conn)
	}
	return err
}

// gets each wait for a request id of their own on one queue. The last one gets its item, which shows that the server
// has come to all of them.
func (w *waiting) gets(t *generator.Target, n int) error {
	var last *talk.Visitor
	visit := func(method, query string, user int, rest string) error {
		conn, err := socket.Dial(t.Queue)
		if err != nil {
			return err
		}
		*w, last = append(*w, conn), talk.NewVisitor(conn, 512)
		_, err = io.WriteString(last, talk.Request(method, "bench-gets/sink", query, generator.UserName(user),
			"bench")+rest)
		return err
	}
	for i := range n + 1 {
		if err := visit("GET", fmt.Sprintf("requestId=r%d&_timeout_=300s", i), i,
			"Content-Length: 0\r\n\r\n"); err != nil {
			return fmt.Errorf("get %d: %w", i, err)
		}
	}
	waits := last
	if err := visit("POST", fmt.Sprintf("requestId=r%d", n), n, "Content-Length: 4\r\n\r\nitem"); err != nil {
		return err
	}
	if err := last.Head("HTTP/1.1 200 "); err != nil {
		return err
	}
	return waits.Head("HTTP/1.1 200 ")
}
