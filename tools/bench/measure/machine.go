//go:build linux

package measure

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"beanfield/tools/server"
)

// Machine describes the processors, as the head of a chart has it, and all that a reader must know to place numbers.
func Machine() (short, whole string) {
	cpu := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(text), "\nmodel name"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		cpu = strings.TrimLeft(line, "\t :")
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	kernel, _, _ := strings.Cut(strings.TrimSpace(string(release)), "-") // the rest is who built it
	memory, _ := os.ReadFile("/proc/meminfo")
	short = fmt.Sprintf("%s, %d cores", cpu, runtime.NumCPU())
	return short, fmt.Sprintf("%s, %d GB, Linux %s, %s", short, (server.Field(memory, "MemTotal:")+1<<29)>>30,
		kernel, runtime.Version())
}

// The processors of a server that is pinned, and of the generator.
const (
	ServerCPU    = "0"
	generatorCPU = 1
)

// PinSelf moves every thread of this program to a processor of its own; threads to come inherit it. It returns what
// undoes that.
func PinSelf() (restore func(), err error) {
	var before, own unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	own.Set(generatorCPU)
	return func() { _ = moveSelf(&before) }, moveSelf(&own)
}

func moveSelf(set *unix.CPUSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		tid, _ := strconv.Atoi(t.Name())
		err := unix.SchedSetaffinity(tid, set)
		if err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended meanwhile
			return fmt.Errorf("sched_setaffinity: %w", err)
		}
	}
	return nil
}
