package generator

import (
	"fmt"
	"io"
)

// Converse sends one line on a connection that still blocks and awaits one reply.
func Converse(c io.ReadWriter, line string, want word) error {
	if _, err := io.WriteString(c, line+"\r\n"); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	var buf [maxReplyLine]byte
	have := 0
	for {
		n, err := c.Read(buf[have:])
		if err == io.EOF {
			return fmt.Errorf("%s: the server closed the connection", line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		have += n
		var r Reply
		if n, err = r.Parse(buf[:have]); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if n == have && r.Word == want {
			return nil
		}
		if n > 0 {
			return fmt.Errorf("%s: answered %.80q, want %v", line, buf[:have], want)
		}
	}
}
