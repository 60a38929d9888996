package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

// accessRules are who may do what: by network, by certificate, by token.
const accessRules = `
[audit]
file = '%s'
[[access]]
network = '127.0.8.0/24'
may = 'put'
[[access]]
network = '127.0.9.0/24'
may = 'stats'
[[access]]
dns_name = 'localhost'
may = ['put', 'stats']
[[access]]
token = '%v'
may = 'admin'
`

// A visitor is a client, and how it is answered.
type visitor struct {
	from        string
	certificate bool
	put, stats  string
}

var visitors = []visitor{
	{"127.0.8.1", false, "INSERTED", "BAD_FORMAT"},
	{"127.0.9.1", false, "BAD_FORMAT", "OK"},
	{"127.0.7.1", false, "BAD_FORMAT", "BAD_FORMAT"},
	{"127.0.7.2", true, "INSERTED", "OK"},
}

// What clients may do depends on who they are, at whichever of three nodes they come in, and logs and tables show them.
func TestAccessAtThreeNodes(t *testing.T) {
	dir := t.TempDir()
	audit := filepath.Join(dir, "audit")
	c := must.Get(nodes.New(nodes.Options{Binary: must.Get(server.Beanfield(t.Context(), dir)), Dir: dir, TLS: true,
		Config: fmt.Sprintf(accessRules, audit, access.HashOf("boss"))}))
	defer c.Close()
	must.Do(t, c.Start())
	var owner string
	must.Until(t, "a node serves", func() bool {
		s, err := c.Status(t.Context())
		if err == nil && len(s.Shards) > 0 {
			owner = s.Shards[0].Owner
		}
		return owner != ""
	})
	var peers []string
	own := must.Get(tls.LoadX509KeyPair(c.Certificate()))
	for _, n := range c.Nodes {
		for _, who := range visitors {
			for _, secured := range []bool{who.certificate, true} {
				conn := reach(t, n, who, secured, own)
				defer conn.Close()
				peers = append(peers, `"peer":"`+conn.LocalAddr().String()+`"`)
				k := client.On(conn, n.Name, must.Patience)
				put, stats := must.Get(k.Put("put 0 0 60 1", []byte("x"))), must.Get(k.Ask("stats"))
				if put.Word != who.put || stats.Word != who.stats {
					t.Errorf("at node %s (TLS %v) where %s serves, %+v: %s, %s", n.Name, secured, owner, who, put.Word,
						stats.Word)
				}
			}
		}
	}
	must.Until(t, "all are among the connections", func() bool { // a table is shown for a while
		table := connections(t, c.Node(owner))
		return !slices.ContainsFunc(peers, func(p string) bool { return !strings.Contains(table, p) })
	})
	for _, who := range visitors[:3] {
		text := string(must.Get(os.ReadFile(audit)))
		if n := strings.Count(text, `"from":"`+who.from+":"); n < 2*len(c.Nodes) {
			t.Errorf("%s was refused %d times, says the audit log: %s", who.from, n, text)
		}
	}
}

// reach connects to a node as a visitor does.
func reach(t *testing.T, n *nodes.Node, who visitor, secured bool, own tls.Certificate) net.Conn {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(who.from)}, Timeout: must.Patience}
	var conn net.Conn
	must.Until(t, "node "+n.Name+" takes clients", func() (ok bool) {
		var err error
		if !secured {
			conn, err = d.Dial("tcp4", n.Client)
			return err == nil
		}
		how := &tls.Config{InsecureSkipVerify: true}
		if who.certificate {
			how.Certificates = []tls.Certificate{own}
		}
		conn, err = (&tls.Dialer{NetDialer: d, Config: how}).Dial("tcp4", n.TLS)
		return err == nil
	})
	_ = conn.SetDeadline(time.Now().Add(must.Patience))
	return conn
}

// connections is what the console of a node shows of its clients.
func connections(t *testing.T, n *nodes.Node) string {
	conn := must.Get(net.Dial("tcp4", n.HTTP))
	defer conn.Close()
	must.Get(fmt.Fprintf(conn, "GET /api/v1/connections HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer boss\r\n\r\n", n.HTTP))
	return string(must.Get(io.ReadAll(conn)))
}
