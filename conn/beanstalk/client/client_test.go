package client

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage/must"
)

// played is a client whose server is played by a test.
func played(t *testing.T, talk func(conn net.Conn, in *bufio.Reader)) *Client {
	t.Helper()
	c := must.Get(Dial(Options{Server: clienttest.Pretend(t, talk), Timeout: 5 * time.Minute}))
	t.Cleanup(func() { c.Close() })
	return c
}

// CL2: a name never becomes a second command.
func TestLineEnds(t *testing.T) {
	heard := make(chan string, 10)
	c := played(t, func(conn net.Conn, in *bufio.Reader) {
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			heard <- line
			_, _ = io.WriteString(conn, "USING a\r\n")
		}
	})
	for _, end := range []string{"\r\n", "\n", "\r", "\x00"} {
		if _, err := c.Ask("use a" + end + "delete 1"); err == nil {
			t.Errorf("%q is sent", end)
		}
		if err := c.Pipe(nil).Send("use a" + end + "delete 1"); err == nil {
			t.Errorf("%q is sent through a pipe", end)
		}
	}
	if r, err := c.Ask("use a"); r.Line != "USING a" || err != nil {
		t.Errorf("%q, %v", r.Line, err)
	}
	if line := <-heard; line != "use a\r\n" || len(heard) > 0 {
		t.Errorf("the server hears %q, and %d lines more", line, len(heard))
	}
}

// CL1, with more commands than are sent at once, and bodies larger than all buffers.
func TestPipe(t *testing.T) {
	const many = 3*maxWaiting + 1
	body := strings.Repeat("x", 100)
	c := played(t, func(conn net.Conn, in *bufio.Reader) {
		for i := range many {
			line, _ := in.ReadString('\n')
			var n, size int
			if _, err := fmt.Sscanf(line, "put %d 0 0 %d\r\n", &n, &size); err != nil || n != i {
				t.Errorf("%d: %q, %v", i, line, err)
			}
			if _, err := io.CopyN(io.Discard, in, int64(size)+2); err != nil {
				return
			}
			fmt.Fprintf(conn, "INSERTED %d\r\n", i+1)
		}
	})
	got := uint64(0)
	p := c.Pipe(func(r Reply) error {
		got++
		if r.Number != got {
			t.Errorf("reply %d is %q", got, r.Line)
		}
		return r.Want("INSERTED")
	})
	for i := range many {
		size := i % 90
		if i == many/2 {
			body = strings.Repeat("y", 3<<20)
			size = len(body)
		}
		must.Do(t, p.Put(fmt.Sprintf("put %d 0 0 %d", i, size), []byte(body[:size])))
	}
	if err := p.Flush(); err != nil || got != many {
		t.Errorf("%d replies, %v", got, err)
	}
}

// A round of commands with bodies is more than is sent at once; a server that hangs up is an
// error, and what it had answered before is there.
func TestExchange(t *testing.T) {
	const many = 3*atOnce + 1
	c := played(t, func(conn net.Conn, in *bufio.Reader) {
		for i := range many {
			for _, want := range []string{fmt.Sprintf("put 0 0 0 %d\r\n", i%10), strings.Repeat("x", i%10) + "\r\n"} {
				if line, _ := in.ReadString('\n'); line != want {
					t.Errorf("%d: %q, want %q", i, line, want)
				}
			}
			fmt.Fprintf(conn, "INSERTED %d\r\n", i+1)
		}
		_, _ = in.ReadString('\n')
		_, _ = io.WriteString(conn, "OK 19\r\n---\nname: \"1\"\na: 2\n\r\nNOT_F")
	})
	var commands []string
	for i := range many {
		commands = append(commands, fmt.Sprintf("put 0 0 0 %d\r\n%s", i%10, strings.Repeat("x", i%10)))
	}
	replies, err := c.Exchange(commands...)
	if err != nil || len(replies) != many || replies[many-1].Number != many {
		t.Fatalf("%d replies, %v", len(replies), err)
	}
	replies, err = c.Exchange("stats-tube 1", "peek 1")
	if err == nil || len(replies) != 1 || replies[0].Document().Get("name") != "1" ||
		replies[0].Document().Number("a") != 2 {
		t.Errorf("%+v, %v", replies, err)
	}
}
