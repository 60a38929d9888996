package generator

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// A Client is an ordinary blocking connection, for the work around a load: the backlog,
// the audit, the clearing up. None of it is measured.
type Client struct {
	conn net.Conn
	r    *bufio.Reader
}

func Dial(addr string) (*Client, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, addr = "unix", path
	}
	c, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	return NewClient(c), nil
}

// NewClient talks on a connection.
func NewClient(c net.Conn) *Client { return &Client{c, bufio.NewReaderSize(c, 64<<10)} }

// HangUp closes the connection and returns the error of doing so.
func (c *Client) HangUp() error { return c.conn.Close() }

// Read fills b.
func (c *Client) Read(b []byte) error {
	_, err := io.ReadFull(c.r, b)
	return err
}

func (c *Client) Close() { c.conn.Close() }

func (c *Client) line() (string, error) {
	s, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(s, "\r\n"), nil
}

// MaxStats bounds the size of a reply to stats.
const MaxStats = 1 << 20

// Stats reads the numbers of the server's stats reply.
func (c *Client) Stats() (map[string]int64, error) { return c.Numbers("stats") }

// Numbers reads the numbers of any command that is answered like stats.
func (c *Client) Numbers(command string) (map[string]int64, error) {
	if _, err := io.WriteString(c.conn, command+"\r\n"); err != nil {
		return nil, err
	}
	line, err := c.line()
	if err != nil {
		return nil, err
	}
	var size int
	if _, err := fmt.Sscanf(line, "OK %d", &size); err != nil || size < 0 || size > MaxStats {
		return nil, fmt.Errorf("%s was answered %.80q", command, line)
	}
	text := make([]byte, size+2)
	if _, err := io.ReadFull(c.r, text); err != nil {
		return nil, err
	}
	return NumbersIn(string(text)), nil
}

// NumbersIn leaves out every line whose value is not a number.
func NumbersIn(text string) map[string]int64 {
	numbers := map[string]int64{}
	for l := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			numbers[key] = n
		}
	}
	return numbers
}
