package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
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
		l, err := net.Listen("tcp4", localAddr(port))
		if err == nil {
			return port, l.Close()
		}
		last = errors.Join(last, err)
	}
	return 0, fmt.Errorf("no free port: %w", last)
}

func localAddr(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
