package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"
	"unsafe"
)

// setupTimeout bounds each reply that is waited for while the connections are set up.
const setupTimeout = 30 * time.Second

// Dial gives a connected socket that still blocks, with timeouts. The address is that of a server
// that was started here, 127.0.0.1 and a port.
func Dial(addr string) (int, error) {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return -1, err
	}
	sa := &syscall.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socket: %w", err)
	}
	tv := syscall.NsecToTimeval(int64(setupTimeout))
	err = errors.Join(
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &tv),
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &tv),
		syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1))
	if err == nil {
		err = syscall.Connect(fd, sa)
		for errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EALREADY) {
			err = syscall.Connect(fd, sa) // goes on waiting for the one that was interrupted
		}
		if errors.Is(err, syscall.EISCONN) {
			err = nil
		}
	}
	if err != nil {
		syscall.Close(fd)
		return -1, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return fd, nil
}

// Uninterrupted makes a blocking call again that one of the runtime's signals has
// cut short.
func Uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// On a socket that never blocks, the runtime need not be told of a system call:
// RawSyscall saves its bookkeeping.

func Read(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), e
}

func Write(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), e
}

func CloseAll(fds []int) {
	for _, fd := range fds {
		syscall.Close(fd)
	}
}
