package socket

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Poller is one epoll instance and the event descriptor that wakes it. Its
// sockets are edge-triggered: one registration a connection, and no call for
// a socket whose owner does not want to read just now.
type Poller struct {
	epfd, wakefd int
	events       [128]syscall.EpollEvent
}

const (
	edge    = 1 << 31 // EPOLLET
	reading = syscall.EPOLLIN | syscall.EPOLLPRI | syscall.EPOLLRDHUP | edge
)

// NewPoller makes a poller that watches nothing yet.
func NewPoller() (*Poller, error) {
	epfd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	wakefd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		syscall.Close(epfd)
		return nil, errno
	}
	p := &Poller{epfd: epfd, wakefd: int(wakefd)}
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN | edge, Fd: int32(wakefd)}
	if err := syscall.EpollCtl(epfd, syscall.EPOLL_CTL_ADD, p.wakefd, &ev); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close ends the poller. Nobody may wake it any more.
func (p *Poller) Close() {
	syscall.Close(p.epfd)
	syscall.Close(p.wakefd)
}

// Add begins to watch a socket.
func (p *Poller) Add(fd int) error {
	ev := syscall.EpollEvent{Events: reading & 0xffffffff, Fd: int32(fd)}
	return syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
}

// Remove ends that. A socket that is closed need not be removed, unless somebody else has it too.
func (p *Poller) Remove(fd int) { syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_DEL, fd, nil) }

// WatchWrites says whether to report room in the socket's send buffer, which
// matters only while replies are stuck.
func (p *Poller) WatchWrites(fd int, on bool) {
	ev := syscall.EpollEvent{Events: reading & 0xffffffff, Fd: int32(fd)}
	if on {
		ev.Events |= syscall.EPOLLOUT
	}
	syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_MOD, fd, &ev)
}

// Woke says that an event is no socket's, but that of Wake. It is edge-triggered: it need not be
// read.
func (p *Poller) Woke(e *syscall.EpollEvent) bool { return int(e.Fd) == p.wakefd }

// Wake makes a wait that blocks return.
func (p *Poller) Wake() {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.wakefd), uintptr(unsafe.Pointer(&one)), 8)
}

// Peek returns the events that are there now. It does not block, so the
// scheduler need not hear of it.
func (p *Poller) Peek() []syscall.EpollEvent {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.epfd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if errno != 0 {
		return nil
	}
	return p.events[:n]
}

// Wait blocks for events, at most ms milliseconds, or for ever if negative.
func (p *Poller) Wait(ms int) []syscall.EpollEvent {
	n, err := syscall.EpollWait(p.epfd, p.events[:], ms)
	if err != nil || n < 0 {
		return nil
	}
	return p.events[:n]
}

// Read and Write are recv and send, which on a socket do less than the calls for
// files. They are made without telling the Go scheduler: on a non-blocking socket
// they take a few microseconds, and telling it would cost a tenth of that.
func Read(fd int, b []byte) (int, error) { return receive(fd, b, 0) }

// Peek reads what the next Read will read again.
func Peek(fd int, b []byte) (int, error) { return receive(fd, b, syscall.MSG_PEEK) }

func receive(fd int, b []byte, flags uintptr) (int, error) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), flags, 0, 0)
	runtime.KeepAlive(b)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func Write(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), syscall.MSG_NOSIGNAL, 0, 0)
	runtime.KeepAlive(b)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
