//go:build linux

package load

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/server"
)

// A Moment has the processor time used until then: by the server and its peers, by this program, and by all programs.
type Moment struct {
	At     int64
	Server server.Usage
	Self   time.Duration
	Busy   time.Duration
	Disk   int64 // bytes written to the server's disk, by everybody
	Err    error
}

// Moment reads the clocks.
func (t *Target) Moment(at int64) Moment {
	m := Moment{At: at, Disk: t.Disk.Written()}
	var errs [3]error
	m.Server, errs[0] = server.UsageOf(t.PID)
	m.Self, errs[1] = server.CPUTime(os.Getpid())
	m.Busy, errs[2] = busyTime()
	m.Err = errors.Join(errs[:]...)
	for _, pid := range t.Peers {
		u, err := server.UsageOf(pid)
		m.Server.CPU += u.CPU
		m.Err = errors.Join(m.Err, err)
	}
	return m
}

// Since is the result of so many operations since the moment before, with what the server spent on them.
func (m *Moment) Since(before *Moment, ld *Load, ops uint64) *Result {
	ns, n := float64(m.At-before.At), float64(ops)
	return &Result{
		Load: *ld, Seconds: ns / 1e9, Ops: ops, OpsPerSec: n / ns * 1e9, OthersCPU: m.Others(before),
		Server: ServerUse{
			CPUPerOp: float64(m.Server.CPU-before.Server.CPU) / n / 1e3, RSS: m.Server.RSS, PeakRSS: m.Server.Peak,
			WrittenPerOp: float64(m.written(before)) / n,
		},
	}
}

// written is how many bytes the server has written to its disk since the moment before, at most; 0 where that is not
// known. The process's count may be far too high, and others write to the disk too: the truth is not above either.
func (m *Moment) written(before *Moment) int64 {
	process, disk := m.Server.Written-before.Server.Written, m.Disk-before.Disk
	switch {
	case m.Disk == 0:
		return process
	case m.Server.Written == 0:
		return disk
	}
	return min(process, disk)
}

// Others is how many processors neither the server nor this program has used since the moment before. Clocks differ:
// it may be a little less than nothing.
func (m *Moment) Others(before *Moment) float64 {
	others := m.Busy - before.Busy - (m.Self - before.Self) - (m.Server.CPU - before.Server.CPU)
	return max(0, float64(others)/float64(m.At-before.At))
}

// busyTime is the time all processors together have worked for anybody, stolen time included, from the first line of
// /proc/stat.
func busyTime() (time.Duration, error) {
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
