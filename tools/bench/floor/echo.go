package floor

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"beanfield/tools/bench/socket"
)

// echoLook bounds a wait for events, so that the end is noticed.
const echoLook = 50 * time.Millisecond

// Echo is the floor in comparisons: one thread that waits for all connections at once and
// sends back what it reads, one read and one write for each batch, no queue. No server
// can do less for the same messages.
func Echo(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench echo", flag.ContinueOnError)
	port := f.Int("p", 0, "port on 127.0.0.1")
	if err := f.Parse(args); err != nil {
		return err
	}
	return serve(ctx, *port, echoAll)
}

// serve listens on a port, and has one goroutine serve all connections with epoll.
func serve(ctx context.Context, port int, all func(ctx context.Context, epfd int) error) error {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	// main catches SIGTERM: without this the server would go on until it is killed.
	defer context.AfterFunc(ctx, func() { l.Close() })()
	epfd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	defer syscall.Close(epfd)
	accepted := make(chan error, 1)
	go func() { accepted <- accept(ctx, l, epfd) }()
	if err := all(ctx, epfd); err != nil {
		return err
	}
	return <-accepted
}

// accept gives each connection to epoll, as a plain descriptor.
func accept(ctx context.Context, l net.Listener, epfd int) error {
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		fd, err := descriptor(c.(*net.TCPConn))
		if err != nil {
			return err
		}
		ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
		if err := syscall.EpollCtl(epfd, syscall.EPOLL_CTL_ADD, fd, &ev); err != nil {
			return fmt.Errorf("epoll: %w", err)
		}
	}
}

// descriptor is a connection's own, which never blocks; c is closed.
func descriptor(c *net.TCPConn) (int, error) {
	file, err := c.File()
	if err != nil {
		return -1, err
	}
	defer file.Close()
	defer c.Close()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	return fd, syscall.SetNonblock(fd, true)
}

// echoAll serves all connections until the end.
func echoAll(ctx context.Context, epfd int) error {
	events, buf := make([]syscall.EpollEvent, 256), make([]byte, 64<<10)
	for ctx.Err() == nil {
		n, err := socket.Wait(epfd, events, int64(echoLook))
		if err != nil {
			return err
		}
		for _, ev := range events[:n] {
			if !echo(int(ev.Fd), buf) {
				syscall.Close(int(ev.Fd))
			}
		}
	}
	return nil
}

// echo sends back what one read brings, and tells whether the connection goes on.
func echo(fd int, buf []byte) bool {
	n, e := socket.Read(fd, buf)
	if e == syscall.EAGAIN || e == syscall.EINTR {
		return true
	}
	return e == 0 && n > 0 && send(fd, buf[:n])
}
