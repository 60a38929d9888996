package server

import (
	"syscall"
)

// RaiseFileLimit allows as many descriptors as the system permits. It is set
// explicitly, so that servers which are started here have it too.
func RaiseFileLimit() error {
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil {
		return err
	}
	lim.Cur = lim.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lim)
}
