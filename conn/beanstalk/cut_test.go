package beanstalk

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// A client whose stream ends without TLS's farewell, in the middle of a put or of a record,
// while it holds a job, or while it waits for one, has hung up like any other: its job is
// ready again, its half put makes none, and its commands so far are carried out.
func TestEndWithoutCloseNotify(t *testing.T) {
	h := newHouse(t)
	p := h.pair()
	jobs := 0
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, reset := range []bool{false, true} {
			for _, last := range []string{"", "put 0 0 60 5\r\nhel", "watch empty\r\nignore default\r\nreserve\r\n", strings.Repeat("delete 0\r\n", 300) + "put 0 0 60 9000\r\n"} {
				p.put(0, 0, 600, "x")
				jobs++
				config := trust(t)
				config.MaxVersion = version
				if h.tls == "" {
					h.tls = h.serve("tcp", "127.0.0.1:0", h.secured())
				}
				below := must.Get(net.Dial("tcp", h.tls))
				far := &hoard{Conn: below}
				c := newClient(t, tls.Client(far, config))
				c.send("reserve\r\n")
				c.job("RESERVED")
				c.put(0, 0, 60, "x")
				jobs++
				c.send(last)
				far.hold = true
				c.send("list-tube-used\r\n")
				must.Get(below.Write(far.held[:len(far.held)/2]))
				if reset {
					below.(*net.TCPConn).SetLinger(0)
				} else {
					below.(*net.TCPConn).CloseWrite()
					io.Copy(io.Discard, below)
				}
				below.Close()
				eventually(t, "it has left", func() bool { return h.server.open.Load() == 1 })
				if m := p.all(); m["current-jobs-reserved"] != "0" || m["current-jobs-ready"] != fmt.Sprint(jobs) {
					t.Errorf("version %x, reset %v, %.20q: %s jobs are reserved and %s ready, want %d ready", version, reset, last,
						m["current-jobs-reserved"], m["current-jobs-ready"], jobs)
				}
			}
		}
	}
}
