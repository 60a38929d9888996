//go:build !linux || portable

package socket

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Poller is poll(2), made to look like one that tells of a socket's bytes once: it asks for them again only when a
// read has found nothing more (Emptied). Any goroutine may call its methods, but for Peek, Wait and Close.
type Poller struct {
	wake [2]int // a pipe: what is written to one end makes a wait return

	mu      sync.Mutex
	asked   []interest // by descriptor
	waiting bool       // the kernel has a list that does not know of later changes

	list   []unix.PollFd // of the goroutine that waits, as is events
	events []Event
}

// interest is what is asked of a socket.
type interest struct {
	watched bool
	events  int16
}

// Event is what the poller has to say of a socket.
type Event struct {
	Events uint32
	Fd     int32
}

// What an event may say: bytes to read, room to send. HangUp is any of the rest: that no more bytes come, or (Gone)
// that nothing is taken either.
const (
	Input  = unix.POLLIN
	Urgent = 0 // a read that ends early at its mark needs no care: what is behind it is reported
	Room   = unix.POLLOUT
	HangUp = halfClosed | unix.POLLHUP | unix.POLLERR
)

// ReadAhead says that no event tells of what comes behind bytes that nobody has read yet: who waits for the end of
// the stream, or for a word, has to read them.
const ReadAhead = true

// NewPoller makes a poller that watches nothing yet.
func NewPoller() (*Poller, error) {
	p := new(Poller)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(p.wake[:]); err != nil {
		return nil, err
	}
	return p, settle(p.wake)
}

// settle makes descriptors non-blocking, and those of no child process.
func settle(two [2]int) (err error) {
	for _, fd := range two {
		syscall.CloseOnExec(fd)
		err = errors.Join(err, syscall.SetNonblock(fd, true))
	}
	return err
}

// Close ends the poller. Nobody may wake it any more.
func (p *Poller) Close() {
	syscall.Close(p.wake[0])
	syscall.Close(p.wake[1])
}

// Add begins to watch a socket.
func (p *Poller) Add(fd int) error {
	p.change(fd, func(i *interest) { *i = interest{true, Input | halfClosed} })
	return nil
}

// Remove ends that, for a socket that somebody else goes on with.
func (p *Poller) Remove(fd int) { p.change(fd, func(i *interest) { *i = interest{} }) }

// Closing is called before a socket is closed: its descriptor may soon be that of another one.
func (p *Poller) Closing(fd int) { p.Remove(fd) }

// Emptied is called when a read has found that the socket has nothing more: what comes is reported again.
func (p *Poller) Emptied(fd int) { p.change(fd, func(i *interest) { i.events |= Input }) }

// WatchWrites says whether to report room in the socket's send buffer, which
// matters only while replies are stuck.
func (p *Poller) WatchWrites(fd int, on bool) {
	p.change(fd, func(i *interest) {
		if i.events &^= Room; on {
			i.events |= Room
		}
	})
}

func (p *Poller) change(fd int, how func(*interest)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for fd >= len(p.asked) {
		p.asked = append(p.asked, interest{})
	}
	how(&p.asked[fd])
	if p.waiting {
		p.Wake()
	}
}

// Woke says that an event is no socket's, but that of Wake: there are none.
func (*Poller) Woke(*Event) bool { return false }

// Wake makes a wait that blocks return.
func (p *Poller) Wake() { syscall.Write(p.wake[1], []byte{0}) }

// Peek returns the events that are there now. It does not block.
func (p *Poller) Peek() []Event { return p.Wait(0) }

// Wait blocks for events, at most ms milliseconds, or for ever if negative.
func (p *Poller) Wait(ms int) []Event {
	p.ask(ms != 0)
	n, err := unix.Poll(p.list, ms)
	if err != nil {
		n = 0
		if err != unix.EINTR && ms != 0 {
			time.Sleep(failedPause) // there may be more sockets than the limit of files allows by now
		}
	}
	return p.told(n)
}

// failedPause is how long a wait takes that the kernel refuses, so that its loop does not spin.
const failedPause = 10 * time.Millisecond

// ask makes the list for the kernel.
func (p *Poller) ask(waits bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list[:0], unix.PollFd{Fd: int32(p.wake[0]), Events: unix.POLLIN})
	for fd, i := range p.asked {
		if i.watched && i.events != 0 {
			p.list = append(p.list, unix.PollFd{Fd: int32(fd), Events: i.events})
		}
	}
	p.waiting = waits
}

// told makes events of the n answers in the list. Bytes and ends are told once, room as long as it is asked for. A
// socket that is not watched any more may have been closed meanwhile.
func (p *Poller) told(n int) []Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	p.events = p.events[:0]
	for at := 0; n > 0 && at < len(p.list); at++ {
		l := &p.list[at]
		if l.Revents == 0 {
			continue
		}
		n--
		if at == 0 {
			var b [64]byte
			for m := len(b); m == len(b); {
				m, _ = syscall.Read(p.wake[0], b[:])
			}
			continue
		}
		i := &p.asked[l.Fd]
		i.events &^= l.Revents & Input
		if l.Revents&HangUp != 0 {
			i.events &^= Input | halfClosed
		}
		if i.watched {
			p.events = append(p.events, Event{uint32(l.Revents), l.Fd})
		}
	}
	return p.events
}

// Pair makes two non-blocking sockets that are connected with each other.
func Pair() (two [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if two, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); err != nil {
		return two, err
	}
	return two, settle(two)
}

// Read reads from a socket that does not block.
func Read(fd int, b []byte) (int, error) { return atLeast0(syscall.Read(fd, b)) }

// Peek reads what the next Read will read again.
func Peek(fd int, b []byte) (int, error) {
	n, _, err := syscall.Recvfrom(fd, b, syscall.MSG_PEEK)
	return atLeast0(n, err)
}

func Write(fd int, b []byte) (int, error) { return atLeast0(syscall.Write(fd, b)) }

// atLeast0 is what a system call has moved: nothing if it fails, and not -1 bytes.
func atLeast0(n int, err error) (int, error) { return max(n, 0), err }
