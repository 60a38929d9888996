package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What the operating system knows about a process: never what the process says of
// itself.

// A Usage is what a process has used by some moment.
type Usage struct {
	CPU  time.Duration // exact, all threads, also those that have ended
	RSS  int64         // bytes resident
	Peak int64
	// Written is how many bytes of files it has changed, at most; 0 where the kernel does
	// not tell.
	Written int64
}

// UsageOf reads a process; pid 0 is one that is not known, and uses nothing.
func UsageOf(pid int) (Usage, error) {
	if pid == 0 {
		return Usage{}, nil
	}
	cpu, err := CPUTime(pid)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{CPU: cpu}
	u.Written = bytesWritten(pid)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	u.RSS, u.Peak = Field(text, "VmRSS:"), Field(text, "VmHWM:")
	return u, err
}

// bytesWritten reads write_bytes, which counts whole pieces of the kernel's memory for
// files. Where they are large, a change of a few bytes may count as 2 MiB.
func bytesWritten(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid)) // not every kernel has it, nor may every user read it
	return Field(text, "write_bytes:")
}

// Field is a number of bytes in one of the kernel's texts, which have a line for each; 0 where
// there is none.
func Field(text []byte, key string) int64 {
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == key {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			if len(f) > 2 && f[2] == "kB" {
				n <<= 10
			}
			return n
		}
	}
	return 0
}

// CPUTime reads the process's CPU clock, which counts nanoseconds. Linux builds the
// clock's number from the pid: complemented, shifted by 3, with 2 for "all that the
// scheduler counted".
func CPUTime(pid int) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|2, &ts); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}
