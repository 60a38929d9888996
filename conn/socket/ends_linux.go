//go:build portable

package socket

import "golang.org/x/sys/unix"

const (
	halfClosed = unix.POLLRDHUP
	Gone       = unix.POLLHUP | unix.POLLERR
)
