//go:build linux && !portable

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
	events       [128]Event
}

// Event is what the poller has to say of a socket.
type Event = syscall.EpollEvent

// What an event may say: bytes to read, urgent ones, room to send. HangUp is any of the rest: that no more bytes come,
// or (Gone) that nothing is taken either.
const (
	Input  = syscall.EPOLLIN
	Urgent = syscall.EPOLLPRI
	Room   = syscall.EPOLLOUT
	HangUp = syscall.EPOLLRDHUP | Gone
)

// ReadAhead says that no event tells of what comes behind bytes that nobody has read yet. Edges do.
const ReadAhead = false

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
	ev := Event{Events: syscall.EPOLLIN | edge, Fd: int32(wakefd)}
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
	ev := Event{Events: reading & 0xffffffff, Fd: int32(fd)}
	return syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
}

// Remove ends that, for a socket that somebody else goes on with.
func (p *Poller) Remove(fd int) { syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_DEL, fd, nil) }

// Closing is called before a socket is closed. The kernel notices that by itself.
func (*Poller) Closing(int) {}

// Emptied is called when a read has found that the socket has nothing more. What comes is an edge.
func (*Poller) Emptied(int) {}

// WatchWrites says whether to report room in the socket's send buffer, which
// matters only while replies are stuck.
func (p *Poller) WatchWrites(fd int, on bool) {
	ev := Event{Events: reading & 0xffffffff, Fd: int32(fd)}
	if on {
		ev.Events |= syscall.EPOLLOUT
	}
	syscall.EpollCtl(p.epfd, syscall.EPOLL_CTL_MOD, fd, &ev)
}

// Woke says that an event is no socket's, but that of Wake. It is edge-triggered: it need not be
// read.
func (p *Poller) Woke(e *Event) bool { return int(e.Fd) == p.wakefd }

// Wake makes a wait that blocks return.
func (p *Poller) Wake() {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.wakefd), uintptr(unsafe.Pointer(&one)), 8)
}

// Peek returns the events that are there now. It does not block, so the
// scheduler need not hear of it.
func (p *Poller) Peek() []Event {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.epfd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if errno != 0 {
		return nil
	}
	return p.events[:n]
}

// Wait blocks for events, at most ms milliseconds, or for ever if negative.
func (p *Poller) Wait(ms int) []Event {
	n, err := syscall.EpollWait(p.epfd, p.events[:], ms)
	if err != nil || n < 0 {
		return nil
	}
	return p.events[:n]
}

// Pair makes two non-blocking sockets that are connected with each other.
func Pair() ([2]int, error) {
	return syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
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
