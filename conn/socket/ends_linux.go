package socket

import "golang.org/x/sys/unix"

const (
	halfClosed = unix.POLLRDHUP
	Gone       = unix.POLLHUP | unix.POLLERR // epoll's numbers are the same
)
