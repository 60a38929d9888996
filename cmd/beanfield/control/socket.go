package control

import (
	"context"
	"net"
	"os"
	"path/filepath"
)

// Name is the file of the socket, in the directory cluster of the data directory.
const Name = "control.sock"

// listen makes the socket, in the place of one that a process before left there. The process holds the
// lock of the directory, so nobody listens on that.
func listen(dir string) (l net.Listener, err error) {
	if err := os.Remove(filepath.Join(dir, Name)); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	err = within(dir, func(path string) error {
		if l, err = net.Listen("unix", path); err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false) // the short name may be another file's by then
		return os.Chmod(path, 0o600)
	})
	return l, err
}

// dial connects to the socket.
func dial(ctx context.Context, dir string) (c net.Conn, err error) {
	err = within(dir, func(path string) error {
		c, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err
	})
	return c, err
}
