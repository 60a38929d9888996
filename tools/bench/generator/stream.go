package generator

import (
	"fmt"
	"io"
)

// streamChunk is how much goes out in one write.
const streamChunk = 64 << 10

// Stream sends n commands and reads as many replies: one goroutine writes, this one
// reads. After an error, close the connection: that ends the writer.
func (c *Client) Stream(n int, command func(b []byte, i int) []byte, reply func(line string) error) error {
	wrote := make(chan error, 1)
	go func() {
		buf := make([]byte, 0, 2*streamChunk)
		for i := range n {
			if buf = command(buf, i); len(buf) < streamChunk && i < n-1 {
				continue
			}
			if _, err := c.conn.Write(buf); err != nil {
				wrote <- err
				return
			}
			buf = buf[:0]
		}
		wrote <- nil
	}()
	for i := range n {
		line, err := c.line()
		if err == nil {
			err = reply(line)
		}
		if err != nil {
			return fmt.Errorf("command %d of %d: %w", i+1, n, err)
		}
	}
	return <-wrote
}

// Ask sends one command whose reply is one line.
func (c *Client) Ask(command, want string) error {
	if _, err := io.WriteString(c.conn, command+"\r\n"); err != nil {
		return err
	}
	line, err := c.line()
	if err == nil && line != want {
		err = fmt.Errorf("%s was answered %.80q", command, line)
	}
	return err
}
