package nodes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

// echoes is a node that says back what it hears, at its engine's port and, in capitals, at the next one.
func echoes(t *testing.T) string {
	port := must.Get(server.FreePort())
	must.Get(server.FreePort())
	echo(t, port+1, bytes.ToUpper)
	return echo(t, port, bytes.Clone)
}

func echo(t *testing.T, port int, said func([]byte) []byte) string {
	l := must.Get(net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewScanner(conn); in.Scan(); {
					_, _ = conn.Write(append(said(in.Bytes()), '\n'))
				}
			}()
		}
	}()
	return l.Addr().String()
}

// A caller is a connection of node a to node b.
type caller struct {
	*testing.T
	conn net.Conn
	in   *bufio.Reader
}

func twoNodes(t *testing.T) *Network { return between(t, echoes(t), "a", "b") }

// between is the network of nodes of which b listens. Whoever comes from these hosts is a node, all others are nobody.
func between(t *testing.T, at string, names ...string) *Network {
	n := newNetwork(names, func(conn net.Conn) string {
		from, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		return map[string]string{"127.0.0.9": "a", "127.0.0.10": "b"}[from]
	})
	t.Cleanup(n.close)
	must.Do(t, n.open("b", net.JoinHostPort(n.host(), port(at)), at))
	return n
}

func call(t *testing.T, n *Network) *caller { return callDoor(t, n, 0) }

// callDoor calls where node b has its engine, or, at door 1, where it takes clients that are passed on.
func callDoor(t *testing.T, n *Network, door int) *caller {
	conn := must.Get(dial(n, door, "127.0.0.9"))
	t.Cleanup(func() { conn.Close() })
	return &caller{t, conn, bufio.NewReader(conn)}
}

func dial(n *Network, door int, from string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return d.Dial("tcp4", n.doors["b"][door].Addr().String())
}

func (c *caller) say(text string) {
	c.Helper()
	must.Get(io.WriteString(c.conn, text+"\n"))
}

func (c *caller) hears(want string) {
	c.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	if got, err := c.in.ReadString('\n'); got != want+"\n" {
		c.Errorf("heard %q, %v; want %q", got, err, want)
	}
}

// nothing comes within a moment. (That a held byte comes later shows that it was held, not lost.)
func (c *caller) nothing() {
	c.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	if b, err := c.in.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.Errorf("heard %q, %v", b, err)
	}
}

func (c *caller) gone() {
	c.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	if b, err := c.in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		c.Errorf("heard %q, %v; want the end", b, err)
	}
}

// Each direction is held by itself, for connections of both sides, and loses nothing.
func TestHold(t *testing.T) {
	for _, w := range []way{{"a", "b"}, {"b", "a"}} {
		n := twoNodes(t)
		c := call(t, n)
		c.say("one")
		c.hears("one")
		n.Hold(w.from, w.to)
		c.say("two")
		c.nothing()
		if n.Whole("a", "b") {
			t.Error("nobody knows that something is held")
		}
		late := call(t, n) // opened while the link is held
		late.say("three")
		late.nothing()
		n.Heal(false)
		if !n.Whole("b", "a") {
			t.Error("nobody knows that all is well again")
		}
		c.hears("two")
		late.hears("three")
	}
}

// Clients that are passed on go the same way as what engines say: to the port after the engine's.
func TestClientsThatArePassedOn(t *testing.T) {
	n := twoNodes(t)
	c := callDoor(t, n, 1)
	if engine := n.doors["b"][0].Addr().String(); n.doors["b"][1].Addr().String() != beside(engine, 1) {
		t.Errorf("the engine is at %v", engine)
	}
	c.say("one")
	c.hears("ONE")
	n.Hold("a", "b")
	c.say("two")
	c.nothing()
	n.Refuse("a", "b")
	c.gone()
}

// Nobody gets to a node who is none.
func TestStrangers(t *testing.T) {
	n := twoNodes(t)
	refused(t, n, "127.0.0.8")
}

func refused(t *testing.T, n *Network, from string) {
	if conn, err := dial(n, 0, from); err == nil { // or it was reset at once
		(&caller{t, conn, bufio.NewReader(conn)}).gone()
	}
}

// A node is found at a further address, too, wherever it listens now, and at last at neither.
func TestDoors(t *testing.T) {
	n := twoNodes(t)
	old := n.engines["b"]
	must.Do(t, n.open("b", net.JoinHostPort(n.host(), port(old)), echoes(t)))
	for door := range n.doors["b"] {
		c := callDoor(t, n, door)
		c.say("one")
		c.hears([]string{"one", "ONE"}[door%2])
	}
	at := n.doors["b"][0].Addr().String()
	n.shut("b")
	if conn, err := net.Dial("tcp4", at); err == nil {
		conn.Close()
		t.Error("a door that is shut is open")
	}
}

func TestOtherLinksAreNotHeld(t *testing.T) {
	n := between(t, echoes(t), "a", "b", "c")
	n.Isolate("c")
	c := call(t, n)
	c.say("one")
	c.hears("one")
	n.Isolate("b")
	conn := must.Get(dial(n, 0, "127.0.0.10"))
	defer conn.Close()
	self := &caller{t, conn, bufio.NewReader(conn)}
	self.say("two")
	self.hears("two")
}

// The end of a connection does not get through a link that is held.
func TestEndIsHeld(t *testing.T) {
	port := must.Get(server.FreePort())
	must.Get(server.FreePort())
	l := must.Get(net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))))
	defer l.Close()
	n := between(t, l.Addr().String(), "a", "b")
	c := call(t, n)
	other := must.Get(l.Accept())
	must.Get(io.WriteString(other, "hello\n"))
	c.hears("hello")
	n.Isolate("b")
	other.Close()
	c.nothing()
	n.Heal(false)
	c.gone()
}

func TestRefuse(t *testing.T) {
	n := twoNodes(t)
	c := call(t, n)
	c.say("one")
	c.hears("one")
	n.Refuse("b", "a")
	c.gone()
	refused(t, n, "127.0.0.9")
	n.Heal(false)
	c = call(t, n)
	c.say("two")
	c.hears("two")
}

// A network that has forgotten the connections of a link resets them when it is healed, and no others.
func TestHealWithoutMemory(t *testing.T) {
	n := between(t, echoes(t), "a", "b", "c")
	c := call(t, n)
	n.Hold("b", "c")
	n.Heal(true)
	c.say("zero")
	c.hears("zero")
	n.Isolate("a")
	c.say("one")
	n.Heal(true)
	c.gone()
}

func TestSlow(t *testing.T) {
	const late = 50 * time.Millisecond
	n := twoNodes(t)
	c := call(t, n)
	c.say("one")
	c.hears("one")
	n.Slow("b", "a", late)
	begun := time.Now()
	c.say("two")
	c.hears("two")
	if d := time.Since(begun); d < late {
		t.Errorf("answered after %v, want at least %v", d, late)
	}
}
