package socket

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// Dial connects with a server on this machine, at 127.0.0.1:11300, [::1]:11300 or unix:/path. Others are refused:
// nobody should load one by mistake, and its CPU time could not be read.
func Dial(addr string) (net.Conn, error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return net.Dial("unix", path)
	}
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: want 127.0.0.1:PORT, [::1]:PORT or unix:PATH", addr)
	}
	if !ap.Addr().IsLoopback() {
		return nil, fmt.Errorf("address %q: only servers on this machine are measured", addr)
	}
	return net.Dial("tcp", addr)
}

// Raw is a connection's own descriptor, which never blocks; c is closed.
func Raw(c net.Conn) (int, error) {
	defer c.Close()
	file, err := c.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		return -1, err
	}
	defer file.Close()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return fd, syscall.SetNonblock(fd, true)
}

// On a socket that never blocks, the runtime need not be told of a system call:
// RawSyscall saves its bookkeeping.

func Read(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return int(n), e
}

func Write(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)))
	return int(n), e
}
