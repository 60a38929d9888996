package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The sockets of the generator are plain file descriptors: going through package net
// would cost more per command than most servers spend.

// setupTimeout bounds each reply that is waited for while the connections are set up.
const setupTimeout = 30 * time.Second

// socketAddress reads 127.0.0.1:11300, [::1]:11300 or unix:/path. Only this machine:
// a load is nothing to aim at others by a slip of the hand, and the server's CPU time
// could not be read there.
func socketAddress(addr string) (family int, sa syscall.Sockaddr, err error) {
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

// dialSocket gives a connected socket that still blocks, with timeouts.
func dialSocket(addr string) (int, error) {
	family, sa, err := socketAddress(addr)
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

// converse sends one line on a socket that still blocks and awaits one reply.
func converse(fd int, line string, want word) error {
	err := uninterrupted(func() error {
		_, err := syscall.Write(fd, []byte(line+"\r\n"))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	var buf [maxReplyLine]byte
	have := 0
	for {
		n := 0
		err := uninterrupted(func() (err error) {
			n, err = syscall.Read(fd, buf[have:])
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if n == 0 {
			return fmt.Errorf("%s: the server closed the connection", line)
		}
		have += n
		var r reply
		if n, err = r.parse(buf[:have]); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if n == have && r.word == want {
			return nil
		}
		if n > 0 {
			return fmt.Errorf("%s: answered %.80q, want %v", line, buf[:have], want)
		}
	}
}

// uninterrupted makes a blocking call again that one of the runtime's signals has
// cut short.
func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// On a socket that never blocks, the runtime need not be told of a system call:
// RawSyscall saves its bookkeeping.

func readSocket(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), e
}

func writeSocket(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), e
}

// sysEpollPwait2 has one number on every architecture; package syscall is older.
const sysEpollPwait2 = 441

// waitEvents waits at most ns nanoseconds; 0 only looks, and stays on the processor.
func waitEvents(epfd int, events []syscall.EpollEvent, ns int64) (int, error) {
	at, n := uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events))
	var got uintptr
	var e syscall.Errno
	if ns <= 0 {
		got, _, e = syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), at, n, 0, 0, 0)
	} else {
		ts := syscall.NsecToTimespec(ns)
		got, _, e = syscall.Syscall6(sysEpollPwait2, uintptr(epfd), at, n, uintptr(unsafe.Pointer(&ts)), 0, 0)
		if e == syscall.ENOSYS { // before Linux 5.11: whole milliseconds
			got, _, e = syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), at, n, uintptr((ns+999999)/1000000), 0, 0)
		}
	}
	if e == syscall.EINTR {
		return 0, nil
	}
	if e != 0 {
		return 0, fmt.Errorf("epoll: %w", e)
	}
	return int(got), nil
}

// freePort asks the system for a port that nobody uses at present.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		syscall.Close(fd)
	}
}
