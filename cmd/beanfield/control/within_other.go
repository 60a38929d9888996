//go:build !linux

package control

import (
	"fmt"
	"path/filepath"
	"syscall"
)

// longest is what the name of a socket may have.
const longest = len(syscall.RawSockaddrUnix{}.Path) - 1

// within calls f with the name of the socket in a directory. There is no shorter one as on Linux (CO2).
func within(dir string, f func(path string) error) error {
	path := filepath.Join(dir, Name)
	if len(path) > longest {
		return fmt.Errorf("%s: a socket's name has %d bytes at most: the data directory needs a shorter one", path, longest)
	}
	return f(path)
}
