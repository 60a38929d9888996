package stalls

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/socket"
)

// bareRequest is as long as a command of the neighbour's, about.
const bareRequest = 32

// LongestAnswer is the longest wait, during the given time, of one client for a server
// that only sends back what it gets. No server on these processors can avoid such waits,
// because the machine uses them for other things now and then.
func LongestAnswer(serverCPUs, ownCPUs string, lasting time.Duration) (time.Duration, error) {
	client, server, err := bareConnection()
	if err != nil {
		return 0, err
	}
	fd := int(server.Fd())
	echoed := onProcessors(serverCPUs, fd, func() (time.Duration, error) { return 0, bareEcho(fd) })
	asked := onProcessors(ownCPUs, client, func() (time.Duration, error) { return bareAsk(client, lasting) })
	a, e := <-asked, <-echoed
	return a.longest, errors.Join(a.err, e.err, syscall.Close(client), server.Close())
}

// bareConnection connects a socket with a file, both of which block.
func bareConnection() (client int, server *os.File, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	defer l.Close()
	if client, err = socket.Dial(l.Addr().String()); err != nil {
		return 0, nil, err
	}
	c, err := l.Accept()
	if err == nil {
		server, err = c.(*net.TCPConn).File() // blocks, whatever c does
		err = errors.Join(err, c.Close())
	}
	if err != nil {
		return 0, nil, errors.Join(err, syscall.Close(client))
	}
	return client, server, nil
}

type bareResult struct {
	longest time.Duration
	err     error
}

// onProcessors runs fn on a thread of its own. When it ends, the other side of the
// connection is told.
func onProcessors(cpus string, fd int, fn func() (time.Duration, error)) <-chan bareResult {
	done := make(chan bareResult, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its affinity
		set, err := machine.ParseCPUs(cpus)
		if err == nil {
			err = machine.PinThread(0, set)
		}
		var r bareResult
		if r.err = err; err == nil {
			r.longest, r.err = fn()
		}
		_ = syscall.Shutdown(fd, syscall.SHUT_RDWR) // the other side may have gone already
		done <- r
	}()
	return done
}

// bareEcho sends back what it reads, until the end.
func bareEcho(fd int) error {
	buf := make([]byte, 4*bareRequest)
	for {
		n, err := syscall.Read(fd, buf)
		switch {
		case err == syscall.EINTR:
			continue
		case n == 0 || err != nil:
			return err
		}
		if _, err := syscall.Write(fd, buf[:n]); err != nil {
			return err
		}
	}
}

// bareAsk sends, and looks for the answer without ever sleeping, as the neighbour does.
func bareAsk(fd int, lasting time.Duration) (longest time.Duration, err error) {
	buf := make([]byte, bareRequest)
	for begin, sent := time.Now(), time.Now(); sent.Sub(begin) < lasting; {
		if _, err := syscall.Write(fd, buf); err != nil {
			return 0, err
		}
		for got := 0; got < bareRequest; {
			n, _, e := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&buf[got])),
				uintptr(bareRequest-got), syscall.MSG_DONTWAIT, 0, 0)
			switch {
			case e == syscall.EAGAIN || e == syscall.EINTR:
				runtime.Gosched() // with GOMAXPROCS=1 the echo runs only now
			case e != 0:
				return 0, fmt.Errorf("recvfrom: %w", e)
			case n == 0:
				return 0, errors.New("the bare server has gone")
			default:
				got += int(n)
			}
		}
		now := time.Now()
		longest, sent = max(longest, now.Sub(sent)), now
	}
	return longest, nil
}
