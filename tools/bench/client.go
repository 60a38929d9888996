package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// A client is an ordinary blocking connection, for what surrounds a load: the
// backlog, the audit, the clearing up. None of it is measured.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dialClient(addr string) (*client, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, addr = "unix", path
	}
	c, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	return &client{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

func (c *client) line() (string, error) {
	s, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(s, "\r\n"), nil
}

// maxStats bounds what a server may say of itself.
const maxStats = 1 << 20

// stats reads the numbers of the server's stats reply.
func (c *client) stats() (map[string]int64, error) { return c.numbers("stats") }

// numbers reads those of a reply like that to stats.
func (c *client) numbers(command string) (map[string]int64, error) {
	if _, err := io.WriteString(c.conn, command+"\r\n"); err != nil {
		return nil, err
	}
	line, err := c.line()
	if err != nil {
		return nil, err
	}
	var size int
	if _, err := fmt.Sscanf(line, "OK %d", &size); err != nil || size < 0 || size > maxStats {
		return nil, fmt.Errorf("%s was answered %.80q", command, line)
	}
	text := make([]byte, size+2)
	if _, err := io.ReadFull(c.r, text); err != nil {
		return nil, err
	}
	return numbersIn(string(text)), nil
}

// numbersIn leaves out every line that is not a number's.
func numbersIn(text string) map[string]int64 {
	numbers := map[string]int64{}
	for l := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			numbers[key] = n
		}
	}
	return numbers
}
