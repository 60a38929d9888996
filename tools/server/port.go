package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Ports are taken from below those that the kernel gives to outgoing connections: to dial
// a port of that range before anybody listens there can end in a connection to itself. No
// two servers of this program try the same.
const (
	firstPort = 12000
	ports     = 18000
)

var portsTried atomic.Uint32

// FreePort is a port that nobody listens on at present.
func FreePort() (int, error) {
	var last error
	for range portTries {
		port := firstPort + int((uint32(os.Getpid()*97)+portsTried.Add(1))%ports)
		release, err := hold(port)
		if err == nil {
			release()
			return port, nil
		}
		last = errors.Join(last, err)
	}
	return 0, fmt.Errorf("no free port: %w", last)
}

// hold binds a socket to a port and does not listen there: it fails where somebody listens, but a server that another
// program starts at the same port gets it nevertheless, and nobody who waits for that server reaches this one instead.
func hold(port int) (release func(), err error) {
	syscall.ForkLock.RLock() // or a process that is started now would keep it
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	err = errors.Join(syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}))
	if err != nil {
		_ = syscall.Close(fd)
		return nil, fmt.Errorf("port %d: %w", port, err)
	}
	return func() { _ = syscall.Close(fd) }, nil
}

func localAddr(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
