package conn

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// Serve accepts connections from a listener until Shutdown. It takes over the
// listener.
func (s *Server) Serve(l net.Listener) error {
	file, err := listenerFile(l)
	l.Close() // the file is a descriptor of its own
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		return file.Close()
	}
	s.listeners[file] = struct{}{}
	s.accepting.Add(1)
	s.mu.Unlock()
	defer s.accepting.Done()

	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	if _, tcp := l.(*net.TCPListener); tcp {
		// Accepted sockets inherit these.
		raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1)
		})
	}
	for {
		s.awaitPlace()
		fd, err := accept(raw)
		switch {
		case err == nil:
			s.welcome(fd)
		case s.stopping.Load():
			return nil
		case err == syscall.ECONNABORTED || err == syscall.EINTR:
		case err == syscall.EMFILE || err == syscall.ENFILE || err == syscall.ENOBUFS || err == syscall.ENOMEM:
			s.awaitDescriptor(err)
		default:
			return err
		}
	}
}

// listenerFile returns the listener's socket. A net.Listener itself cannot be
// waited on without having it accept.
func listenerFile(l net.Listener) (*os.File, error) {
	switch l := l.(type) {
	case *net.TCPListener:
		return l.File()
	case *net.UnixListener:
		l.SetUnlinkOnClose(false)
		return l.File()
	}
	return nil, fmt.Errorf("conn: cannot accept from a %T", l)
}

// accept waits for a client and returns its non-blocking socket.
func accept(raw syscall.RawConn) (fd int, err error) {
	waitErr := raw.Read(func(listener uintptr) bool {
		fd, _, err = syscall.Accept4(int(listener), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		return err != syscall.EAGAIN
	})
	if waitErr != nil {
		return -1, waitErr
	}
	return fd, err
}

// awaitPlace waits while as many connections are open as may be.
func (s *Server) awaitPlace() {
	full := func() bool {
		return s.opts.MaxConnections > 0 && s.open.Load() >= int64(s.opts.MaxConnections) && !s.stopping.Load()
	}
	if !full() {
		return
	}
	if s.worthALine() {
		s.log.Warn("accepting pauses: as many connections as allowed are open", "limit", s.opts.MaxConnections)
	}
	for full() {
		s.awaitLeave(full)
	}
}

// awaitDescriptor waits after accepting has failed for want of something that
// a leaving connection gives back. Until one leaves, trying again is useless,
// but others in the process or the system may free it too.
func (s *Server) awaitDescriptor(err error) {
	if s.worthALine() {
		s.log.Error("accepting pauses", "error", err, "connections", s.open.Load())
	}
	s.awaitLeave(func() bool { return !s.stopping.Load() })
}

// quiet is how long accepting may pause and go on without another line: in
// lasting shortage it does so for every connection that leaves.
const quiet = time.Minute

// worthALine says whether a pause is to be logged.
func (s *Server) worthALine() bool {
	now, last := int64(s.uptime())+1, s.warned.Load()
	return (last == 0 || now-last >= int64(quiet)) && s.warned.CompareAndSwap(last, now)
}

// retryAfter is how long accepting pauses at most before it tries again.
const retryAfter = time.Second

// awaitLeave pauses until a connection leaves, if there still is reason to.
func (s *Server) awaitLeave(reason func() bool) {
	s.short.Add(1)
	defer s.short.Add(-1)
	if !reason() {
		return // whoever left before short was raised has told nobody
	}
	t := time.NewTimer(retryAfter)
	defer t.Stop()
	select {
	case <-s.freed:
	case <-t.C:
	}
}
