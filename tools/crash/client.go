package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// answerWithin bounds the wait for a reply of a server that lives.
const answerWithin = 30 * time.Second

// client is one connection.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// reply is one answer of the server.
type reply struct {
	line string
	word string   // its first word
	args []uint64 // the numbers behind it
	body []byte   // of RESERVED, FOUND and OK
}

func (r reply) id() uint64 {
	if len(r.args) == 0 {
		return 0
	}
	return r.args[0]
}

// yaml finds a key of a stats reply.
func (r reply) yaml(key string) string {
	for line := range strings.SplitSeq(string(r.body), "\n") {
		if k, v, ok := strings.Cut(line, ": "); ok && k == key {
			return strings.Trim(v, `"`)
		}
	}
	return ""
}

func (r reply) number(key string) int64 {
	n, _ := strconv.ParseInt(r.yaml(key), 10, 64)
	return n
}

// read takes the next reply.
func (c *client) read() (reply, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return reply{}, err
	}
	r := reply{line: strings.TrimSuffix(line, "\r\n")}
	words := strings.Fields(r.line)
	if len(words) == 0 || len(r.line) != len(line)-2 {
		return r, fmt.Errorf("a reply that is none: %q", line)
	}
	r.word = words[0]
	for _, w := range words[1:] {
		n, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			break // USING and a name
		}
		r.args = append(r.args, n)
	}
	if r.word != "RESERVED" && r.word != "FOUND" && r.word != "OK" {
		return r, nil
	}
	if len(r.args) == 0 {
		return r, fmt.Errorf("a reply without a size: %q", line)
	}
	body := make([]byte, r.args[len(r.args)-1]+2)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return r, err
	}
	r.body = body[:len(body)-2]
	return r, nil
}

// send writes commands at once.
func (c *client) send(data []byte) error {
	_ = c.conn.SetDeadline(time.Now().Add(answerWithin))
	_, err := c.conn.Write(data)
	return err
}

// ask sends commands at once and reads their replies.
func (c *client) ask(commands ...string) ([]reply, error) {
	// In portions, so that neither side's buffers fill up while nobody reads.
	var all []reply
	for len(commands) > 0 {
		n := min(len(commands), 32)
		if err := c.send([]byte(strings.Join(commands[:n], "\r\n") + "\r\n")); err != nil {
			return all, err
		}
		for range n {
			r, err := c.read()
			if err != nil {
				return all, err
			}
			all = append(all, r)
		}
		commands = commands[n:]
	}
	return all, nil
}
