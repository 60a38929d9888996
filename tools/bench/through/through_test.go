//go:build linux

package through

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

// A hop passes on what each side says, and its end.
func TestHop(t *testing.T) {
	far := must.Get(net.Listen("tcp4", "127.0.0.1:0"))
	defer far.Close()
	port := strconv.Itoa(must.Get(server.FreePort()))
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- Hop(ctx, []string{"-p", port, "-to", far.Addr().String()}) }()
	var conn net.Conn
	must.Until(t, "it listens", func() (ok bool) {
		var err error
		conn, err = net.Dial("tcp4", "127.0.0.1:"+port)
		return err == nil
	})
	served := must.Get(far.Accept())
	go func() {
		_, _ = io.ReadFull(served, make([]byte, len(question)))
		_, _ = io.WriteString(served, answer)
		_, _ = io.Copy(struct{ io.Writer }{served}, served)
		served.Close()
	}()
	must.Do(t, ask(conn))
	long := strings.Repeat("x", 1<<20)
	go func() { _, _ = io.WriteString(conn, long); _ = conn.(*net.TCPConn).CloseWrite() }()
	if text := string(must.Get(io.ReadAll(conn))); text != long {
		t.Errorf("%d bytes have come back", len(text))
	}
	end()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWords(t *testing.T) {
	if median([]float64{9, 1, 2}) != 2 || !math.IsNaN(median(nil)) {
		t.Error("a median is wrong")
	}
	if against(1.6, 1.6) != "goal 1.6" || !strings.Contains(against(1.61, 1.6), "MISSES") {
		t.Error(against(1.6, 1.6), against(1.61, 1.6))
	}
}
