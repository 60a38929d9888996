package conn

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// Adopt makes a net.Conn of a bare socket, and takes the socket over. For a moment that needs
// a second descriptor. If there is none, Adopt uses the spare one: otherwise a client that
// was accepted with the last descriptor would have to be sent away, and so would all
// clients after it.
func (a *Acceptor) Adopt(socket int) (net.Conn, error) {
	file := os.NewFile(uintptr(socket), "client")
	defer file.Close() // the connection has a descriptor of its own
	c, err := net.FileConn(file)
	if errors.Is(err, syscall.EMFILE) {
		c, err = a.spare.lend(file)
	}
	return c, err
}

// spare is a descriptor that is kept for when all others are taken.
type spare struct {
	mu   sync.Mutex
	file *os.File
}

// keep takes a descriptor, if there is one.
func (s *spare) keep() { s.file, _ = os.Open(os.DevNull) }

// lend makes a connection of a file with the spare descriptor, closes the file, and keeps
// its descriptor in place of the spare one.
func (s *spare) lend(file *os.File) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Close()
	c, err := net.FileConn(file)
	file.Close()
	s.keep()
	return c, err
}

func (s *spare) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Close()
}
