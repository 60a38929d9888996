//go:build linux

package socket

import (
	"fmt"
	"syscall"
	"unsafe"
)

// sysEpollPwait2 has one number on every architecture; package syscall is older.
const sysEpollPwait2 = 441

// Wait waits at most ns nanoseconds; 0 only looks, and stays on the processor.
func Wait(epfd int, events []syscall.EpollEvent, ns int64) (int, error) {
	at, n := uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events))
	var got uintptr
	var e syscall.Errno
	if ns <= 0 {
		got, _, e = syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), at, n, 0, 0, 0)
	} else {
		ts := syscall.NsecToTimespec(ns)
		got, _, e = syscall.Syscall6(sysEpollPwait2, uintptr(epfd), at, n, uintptr(unsafe.Pointer(&ts)), 0, 0)
		if e == syscall.ENOSYS { // before Linux 5.11: whole milliseconds
			got, _, e = syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), at, n, uintptr((ns+999999)/1000000), 0,
				0)
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
