package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// notify tells systemd, if it listens, about the process: "READY=1", "STOPPING=1".
// A leading @ names a socket outside the file system.
func notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}

// reloading is what systemd is told at the beginning of a reload, which READY=1 ends. The time
// is that of CLOCK_MONOTONIC: by it, systemd knows which of its reloads this is.
func reloading() string {
	const clockMonotonic = 1
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000)
}

// tell notifies systemd. If that fails the process serves all the same.
func tell(log *slog.Logger, state string) {
	if err := notify(state); err != nil {
		log.Warn("cannot notify systemd", "state", state, "error", err)
	}
}
