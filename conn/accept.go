package conn

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// Serve hands the clients of a listener to a front end until Stop. It takes over the
// listener.
func (a *Acceptor) Serve(l net.Listener, f FrontEnd) error {
	file, err := listenerFile(l)
	l.Close() // the file is a descriptor of its own
	if err != nil {
		return err
	}
	if !a.register(file) {
		return file.Close()
	}
	defer a.accepting.Done()

	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	if _, tcp := l.(*net.TCPListener); tcp {
		// Accepted sockets inherit these, so that accepting costs no further system
		// call. The process has set them before it listened; on any other
		// listener they are for those who connect from now on.
		raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1)
		})
	}
	for {
		a.awaitRoom(f)
		fd, err := accept(raw)
		switch {
		case err == nil:
			if !a.enter(nil) {
				return syscall.Close(fd)
			}
			f.Welcome(fd, nil)
		case a.stopped():
			return nil
		case err == syscall.ECONNABORTED || err == syscall.EINTR:
		case err == syscall.EMFILE || err == syscall.ENFILE || err == syscall.ENOBUFS || err == syscall.ENOMEM:
			a.awaitDescriptor(err)
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
		fd, err = acceptOne(int(listener))
		return err != syscall.EAGAIN
	})
	if waitErr != nil {
		return -1, waitErr
	}
	return fd, err
}
