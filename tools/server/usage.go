package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// What the operating system knows about a process: never what the process says of
// itself.

// A Usage is what a process has used by some moment.
type Usage struct {
	CPU    time.Duration // exact, all threads, also those that have ended
	System time.Duration // of it in the kernel, estimated in ticks
	RSS    int64         // bytes resident
	Peak   int64
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
	user, system, err := tickTimes(pid)
	if err != nil {
		return Usage{}, err
	}
	// Ticks come every 10 ms; only their proportion is used.
	if user+system > 0 {
		u.System = time.Duration(float64(cpu) * float64(system) / float64(user+system))
	}
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
	var ts syscall.Timespec
	clock := uintptr(int64(^pid)<<3 | 2)
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, e)
	}
	return time.Duration(ts.Nano()), nil
}

// tickTimes reads fields 14 and 15 of /proc/PID/stat; the name before them is in
// parentheses and may hold anything.
func tickTimes(pid int) (user, system int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, 0, fmt.Errorf("/proc/%d/stat: %d fields after the name", pid, len(fields))
	}
	if user, err = strconv.ParseInt(fields[11], 10, 64); err == nil {
		system, err = strconv.ParseInt(fields[12], 10, 64)
	}
	return user, system, err
}

// OwnCPU is the processor time of this program.
func OwnCPU() (time.Duration, error) { return CPUTime(os.Getpid()) }
