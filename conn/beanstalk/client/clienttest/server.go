package clienttest

import (
	"bufio"
	"net"
	"path/filepath"
	"testing"

	"beanfield/storage/must"
)

// Pretend listens as a server that a test plays, and returns its address: talk is called with the
// first connection, which is closed when it returns.
func Pretend(t *testing.T, talk func(conn net.Conn, in *bufio.Reader)) (addr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l := must.Get(net.Listen("unix", path))
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		talk(conn, bufio.NewReader(conn))
	}()
	return "unix:" + path
}
