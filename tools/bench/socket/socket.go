package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// setupTimeout bounds each reply that is waited for while the connections are set up.
const setupTimeout = 30 * time.Second

// address reads 127.0.0.1:11300, [::1]:11300 or unix:/path. Other machines
// are refused: nobody should load one by mistake, and its CPU time could not be read.
func address(addr string) (family int, sa syscall.Sockaddr, err error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return syscall.AF_UNIX, &syscall.SockaddrUnix{Name: path}, nil
	}
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return 0, nil, fmt.Errorf("address %q: want 127.0.0.1:PORT, [::1]:PORT or unix:PATH", addr)
	}
	if !ap.Addr().IsLoopback() {
		return 0, nil, fmt.Errorf("address %q: only servers on this machine are measured", addr)
	}
	if ap.Addr().Is4() {
		return syscall.AF_INET, &syscall.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}, nil
	}
	return syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(ap.Port()), Addr: ap.Addr().As16()}, nil
}

// Dial gives a connected socket that still blocks, with timeouts.
func Dial(addr string) (int, error) {
	family, sa, err := address(addr)
	if err != nil {
		return -1, err
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socket: %w", err)
	}
	tv := syscall.NsecToTimeval(int64(setupTimeout))
	err = errors.Join(
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &tv),
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &tv))
	if err == nil && family != syscall.AF_UNIX {
		err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	}
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
