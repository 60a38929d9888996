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
	Err    error
}

// MomentOf reads the clocks; pid is the server's.
func MomentOf(pid int, at int64) Moment {
	m := Moment{At: at}
	var errs [3]error
	m.Server, errs[0] = server.UsageOf(pid)
	m.Self, errs[1] = server.OwnCPU()
	m.Busy, errs[2] = BusyTime()
	m.Err = errors.Join(errs[:]...)
	return m
}
