package machine

import (
	"errors"
	"time"

	"beanfield/tools/server"
)

// A Moment has the processor time used until then: by the server, by this program, and by
// all programs.
type Moment struct {
	At     int64
	Server server.Usage
	Self   time.Duration
	Busy   time.Duration
	Disk   int64 // bytes written to the server's disk, by everybody
	Err    error
}

// MomentOf reads the clocks; pid and disk are the server's.
func MomentOf(pid int, disk server.Disk, at int64) Moment {
	m := Moment{At: at, Disk: disk.Written()}
	var errs [3]error
	m.Server, errs[0] = server.UsageOf(pid)
	m.Self, errs[1] = server.OwnCPU()
	m.Busy, errs[2] = BusyTime()
	m.Err = errors.Join(errs[:]...)
	return m
}

// Written is how many bytes the server has written to its disk since the moment before, at
// most; 0 where that is not known. The process's count may be far too high, and others
// write to the disk too: the truth is not above either.
func (m *Moment) Written(before *Moment) int64 {
	process, disk := m.Server.Written-before.Server.Written, m.Disk-before.Disk
	switch {
	case m.Disk == 0:
		return process
	case m.Server.Written == 0:
		return disk
	}
	return min(process, disk)
}

// Others is what neither the server nor this program has used of the processors since the
// moment before. Clocks differ: it may be a little less than nothing.
func (m *Moment) Others(before *Moment) time.Duration {
	return m.Busy - before.Busy - (m.Self - before.Self) - (m.Server.CPU - before.Server.CPU)
}
