//go:build linux

package socket

import (
	"net"
	"os"
	"syscall"
	"unsafe"
)

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
