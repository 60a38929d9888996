//go:build linux

package floor

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"

	"beanfield/tools/bench/socket"
)

// longestLook bounds a wait for events, so that the end is noticed.
const longestLook = 50 * time.Millisecond

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
		fd, err := socket.Raw(c)
		if err != nil {
			return err
		}
		ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
		if err := syscall.EpollCtl(epfd, syscall.EPOLL_CTL_ADD, fd, &ev); err != nil {
			return fmt.Errorf("epoll: %w", err)
		}
	}
}
