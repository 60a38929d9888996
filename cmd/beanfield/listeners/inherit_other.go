//go:build !linux

package listeners

import (
	"errors"
	"net"
)

// inherit refuses a socket that somebody passed as systemd does.
func inherit(int) (net.Listener, error) {
	return nil, errors.New("sockets are taken over (LISTEN_FDS) on Linux only")
}
