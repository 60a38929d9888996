package socket

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/storage/pace"
)

// parking is a poller's place in Go's own poller. A loop that sleeps in epoll holds its
// processor until the monitor thread of the Go scheduler takes it away. If the goroutines of
// other front ends have no other processor, they wait for that each time the loop sleeps. The
// monitor then looks every 20 µs, and together with the changes of threads it takes up to a
// third of the server's processor time. A parked loop is a goroutine like theirs: it gives
// up its processor at once, and one call of the scheduler waits for all of them.
//
// If there is another processor, loops do not park: every event would pass through two
// pollers, which costs a twentieth of the throughput with one command in a write.
type parking struct {
	file  *os.File // a duplicate of the poller's descriptor
	epfd  int      // this one
	raw   syscall.RawConn
	look  func(fd uintptr) bool
	found []syscall.EpollEvent
	timed bool // a deadline is set

	asleep atomic.Bool
}

func newParking(p *Poller) (*parking, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(p.epfd), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return nil, errno
	}
	if err := syscall.SetNonblock(int(fd), true); err != nil { // or Go's poller does not take it
		syscall.Close(int(fd))
		return nil, err
	}
	k := &parking{file: os.NewFile(fd, "epoll"), epfd: p.epfd}
	k.look = func(uintptr) bool {
		k.found = p.Peek()
		return len(k.found) > 0
	}
	var err error
	if k.raw, err = k.file.SyscallConn(); err == nil {
		err = k.file.SetReadDeadline(time.Time{}) // fails if Go's poller has not taken it
	}
	if err != nil {
		k.file.Close()
		return nil, err
	}
	pace.AddSleeper(k)
	return k, nil
}

// wait blocks for events, at most ms milliseconds, or for ever if negative.
func (k *parking) wait(ms int) ([]syscall.EpollEvent, error) {
	if ms >= 0 || k.timed {
		var until time.Time
		if k.timed = ms >= 0; k.timed {
			until = time.Now().Add(time.Duration(ms) * time.Millisecond)
		}
		if err := k.file.SetReadDeadline(until); err != nil {
			return nil, err
		}
	}
	k.found = nil
	k.asleep.Store(true)
	err := k.raw.Read(k.look)
	k.asleep.Store(false)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err, k.timed = nil, true // Look may have set it
	}
	return k.found, err
}

// Look implements pace.Sleeper. It ends the wait if there are events, which the loop then
// finds by itself.
func (k *parking) Look() {
	if k.asleep.Load() && hasEvents(k.epfd) {
		k.file.SetReadDeadline(time.Unix(1, 0))
	}
}

// Park blocks like wait, but lets go of the processor. If that cannot be, it is wait.
func (p *Poller) Park(ms int) []syscall.EpollEvent {
	if p.parking == nil {
		p.parking, _ = newParking(p)
	}
	if p.parking != nil {
		events, err := p.parking.wait(ms)
		if err == nil {
			return events
		}
		p.Unpark()
	}
	return p.Wait(ms)
}

// Unpark takes the poller out of Go's.
func (p *Poller) Unpark() {
	if p.parking != nil {
		pace.RemoveSleeper(p.parking)
		p.parking.file.Close()
		p.parking = nil
	}
}

// Parked says whether the poller was parked when it last blocked.
func (p *Poller) Parked() bool { return p.parking != nil }
