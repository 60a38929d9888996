package listeners

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// inherit turns a file descriptor into a listener. Package net works on a copy of
// the descriptor, so the original is closed.
func inherit(fd int) (net.Listener, error) {
	family, err := checkListening(fd)
	if err != nil {
		return nil, err
	}
	if family != syscall.AF_UNIX {
		if err := setTCPOptions(fd); err != nil {
			return nil, err
		}
	}
	f := os.NewFile(uintptr(fd), "systemd")
	defer f.Close()
	return net.FileListener(f)
}

// checkListening makes sure that fd is a listening TCP or unix stream socket,
// and returns its address family.
func checkListening(fd int) (family int, err error) {
	get := func(option int) (v int) {
		if err == nil {
			v, err = syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, option)
		}
		return v
	}
	family, kind, listening := get(syscall.SO_DOMAIN), get(syscall.SO_TYPE), get(syscall.SO_ACCEPTCONN)
	switch {
	case err != nil:
		return 0, os.NewSyscallError("getsockopt", err)
	case family != syscall.AF_INET && family != syscall.AF_INET6 && family != syscall.AF_UNIX,
		kind != syscall.SOCK_STREAM, listening == 0:
		return 0, errors.New("not a listening TCP or unix stream socket")
	}
	return family, nil
}
