package socket

import "golang.org/x/sys/unix"

const (
	halfClosed = 0x4000 // POLLRDHUP, from FreeBSD 13.1 on
	Gone       = unix.POLLHUP | unix.POLLERR
)
