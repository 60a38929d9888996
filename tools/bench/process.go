package main

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

// A usage is what a process has used by some moment.
type usage struct {
	cpu    time.Duration // exact, all threads, also those that have ended
	system time.Duration // of it in the kernel, estimated in ticks
	rss    int64         // bytes resident
	peak   int64
}

// usageOf reads a process; pid 0 is one that is not known, and uses nothing.
func usageOf(pid int) (usage, error) {
	if pid == 0 {
		return usage{}, nil
	}
	cpu, err := cpuTime(pid)
	if err != nil {
		return usage{}, err
	}
	u := usage{cpu: cpu}
	user, system, err := tickTimes(pid)
	if err != nil {
		return usage{}, err
	}
	// Ticks come every 10 ms; only their proportion is used.
	if user+system > 0 {
		u.system = time.Duration(float64(cpu) * float64(system) / float64(user+system))
	}
	u.rss, u.peak, err = residentMemory(pid)
	return u, err
}

// cpuTime reads the process's CPU clock, which counts nanoseconds. Linux builds the
// clock's number from the pid: complemented, shifted by 3, with 2 for "all that the
// scheduler counted".
func cpuTime(pid int) (time.Duration, error) {
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

// residentMemory reads VmRSS and VmHWM.
func residentMemory(pid int) (now, peak int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" {
			continue
		}
		kb, _ := strconv.ParseInt(f[1], 10, 64)
		switch f[0] {
		case "VmRSS:":
			now = kb << 10
		case "VmHWM:":
			peak = kb << 10
		}
	}
	return now, peak, nil
}

// machineBusy is the time all processors together have worked for anybody, stolen
// time included, from the first line of /proc/stat.
func machineBusy() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var ticks int64
	for i, s := range f[1:9] { // user nice system idle iowait irq softirq steal
		if i == 3 || i == 4 {
			continue
		}
		n, _ := strconv.ParseInt(s, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100), nil // USER_HZ is 100 on every Linux
}

// meminfo reads one line of /proc/meminfo, in bytes; MemAvailable: is what could be
// used without swapping.
func meminfo(key string) int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == key {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// ownCPU is the processor time of this program.
func ownCPU() (time.Duration, error) { return cpuTime(os.Getpid()) }
