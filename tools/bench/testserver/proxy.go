//go:build linux

package testserver

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
)

// A Proxy is what clients come through.
type Proxy struct {
	mu     sync.Mutex // while it is held, no command is passed on; it protects the rest
	conns  []net.Conn // of clients
	tamper func(verb, reply string) string
	stall  func(verb string)
	server string
}

// Tamper says what may change any reply.
func (d *Proxy) Tamper(by func(verb, reply string) string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tamper = by
}

// Stall says what is called before a command is passed on.
func (d *Proxy) Stall(by func(verb string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stall = by
}

// HangUp closes the connections of all clients.
func (d *Proxy) HangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.Close()
	}
}

// StandStill passes nothing on for a while.
func (d *Proxy) StandStill(long time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	time.Sleep(long)
}

// mostUnanswered is more than any load sends before it reads.
const mostUnanswered = 1 << 17

// Start runs a server for the test, and gives the address of its proxy.
func Start(t *testing.T) (*Proxy, string) {
	t.Helper()
	outside, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &Proxy{server: Launch(t).Addr, tamper: func(_, reply string) string { return reply }, stall: func(string) {}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := outside.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.conns = append(d.conns, c)
			d.mu.Unlock()
			running.Go(func() { d.pass(c) })
		}
	})
	t.Cleanup(func() {
		outside.Close()
		d.HangUp()
		running.Wait()
	})
	return d, outside.Addr().String()
}

// pass connects a client with the server, until either has gone.
func (d *Proxy) pass(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp4", d.server)
	if err != nil {
		return
	}
	verbs := make(chan string, mostUnanswered)
	go func() {
		d.commands(c, s, verbs)
		close(verbs)
		s.Close()
	}()
	in, out := bufio.NewReader(s), bufio.NewWriter(c)
	for verb := range verbs {
		reply, err := client.ReadRaw(in)
		if err != nil {
			break
		}
		d.mu.Lock()
		tamper := d.tamper
		d.mu.Unlock()
		if _, err := out.WriteString(tamper(verb, string(reply))); err != nil {
			break
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			break
		}
	}
}

// commands passes commands on. A pipeline stays one.
func (d *Proxy) commands(c, s net.Conn, verbs chan<- string) {
	in, out := bufio.NewReader(c), bufio.NewWriter(s)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, args, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), " ")
		d.mu.Lock()
		stall := d.stall
		d.mu.Unlock()
		stall(verb)
		d.mu.Lock()
		out.WriteString(line)
		d.mu.Unlock()
		if verb == "put" || verb == "put-with" {
			digits := args[strings.LastIndexByte(args, ' ')+1:]
			if verb == "put-with" {
				digits, _, _ = strings.Cut(args, " ")
			}
			size, _ := strconv.ParseInt(digits, 10, 64)
			if _, err := io.CopyN(out, in, size+2); err != nil {
				return
			}
		}
		verbs <- verb
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

// Count is a number in the server's stats reply.
func (d *Proxy) Count(t *testing.T, key string) int64 {
	t.Helper()
	c, err := client.Dial(client.Options{Server: d.server, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.HangUp()
	stats, err := c.Stats("stats")
	if err != nil {
		t.Fatal(err)
	}
	return stats.Number(key)
}
