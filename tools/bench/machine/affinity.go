package machine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// A cpuSet is a mask of processors, as sched_setaffinity takes it.
type cpuSet [16]uint64

// ParseCPUs reads a list like 0 or 1,3-5, as taskset does.
func ParseCPUs(list string) (cpuSet, error) {
	var set cpuSet
	for part := range strings.SplitSeq(list, ",") {
		low, high, ranged := strings.Cut(part, "-")
		if !ranged {
			high = low
		}
		a, err1 := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || a < 0 || b < a || b >= len(set)*64 {
			return set, fmt.Errorf("processors %q: want a list like 0 or 1,3-5", list)
		}
		for i := a; i <= b; i++ {
			set[i/64] |= 1 << (i % 64)
		}
	}
	return set, nil
}

// OwnAffinity is the set that this program may run on.
func OwnAffinity() (cpuSet, error) {
	var set cpuSet
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		return set, fmt.Errorf("sched_getaffinity: %w", e)
	}
	return set, nil
}

// PinSelf moves every thread of this program; threads to come inherit it.
func PinSelf(set cpuSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		tid, _ := strconv.Atoi(t.Name())
		if err := PinThread(tid, set); err != nil && !errors.Is(err, syscall.ESRCH) { // it may have ended meanwhile
			return err
		}
	}
	return nil
}

// PinThread moves one thread, or the caller's with 0.
func PinThread(tid int, set cpuSet) error {
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(tid), unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		return fmt.Errorf("sched_setaffinity: %w", e)
	}
	return nil
}
