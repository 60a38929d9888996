//go:build !linux || portable

package conn

import "syscall"

// acceptOne accepts a client, if there is one, and returns its non-blocking socket. No child process may be started
// before the socket is closed for it.
func acceptOne(listener int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fd, _, err = syscall.Accept(listener); err != nil {
		return fd, err
	}
	syscall.CloseOnExec(fd)
	if err = syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
	}
	return fd, err
}
