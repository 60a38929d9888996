//go:build linux && !portable

package conn

import "syscall"

// acceptOne accepts a client, if there is one, and returns its non-blocking socket.
func acceptOne(listener int) (fd int, err error) {
	fd, _, err = syscall.Accept4(listener, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
	return fd, err
}
