package socket

import "golang.org/x/sys/unix"

// No event is only that the other side has ended its own direction: POLLHUP is, but comes only with what POLLIN asks.
const (
	halfClosed = 0
	Gone       = unix.POLLERR
)
