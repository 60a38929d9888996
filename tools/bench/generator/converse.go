package generator

import (
	"fmt"
	"syscall"

	"beanfield/tools/bench/socket"
)

// Converse sends one line on a socket that still blocks and awaits one reply.
func Converse(fd int, line string, want word) error {
	err := socket.Uninterrupted(func() error {
		_, err := syscall.Write(fd, []byte(line+"\r\n"))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	var buf [maxReplyLine]byte
	have := 0
	for {
		n := 0
		err := socket.Uninterrupted(func() (err error) {
			n, err = syscall.Read(fd, buf[have:])
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if n == 0 {
			return fmt.Errorf("%s: the server closed the connection", line)
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
