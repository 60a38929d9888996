package socket

import "golang.org/x/sys/unix"

// Ended says whether the end of a stream has arrived on a socket, behind whatever is still to be read.
func Ended(fd int) bool {
	one := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN | halfClosed}}
	_, err := unix.Poll(one, 0)
	return err == nil && one[0].Revents&(halfClosed|unix.POLLHUP|unix.POLLERR) != 0
}
