package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
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
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000)
}

// tell notifies systemd. If that fails the process serves all the same.
func tell(log *slog.Logger, state string) {
	if err := notify(state); err != nil {
		log.Warn("cannot notify systemd", "state", state, "error", err)
	}
}

// watchdog tells systemd that the process makes progress, and stops telling it when a shard
// or an event loop has made none for a while. Then systemd ends the process with SIGABRT,
// so that the log shows where each goroutine was, and starts it again. The disk is not
// watched: a shard goes on while its log waits, and a restart repairs no disk.
type watchdog struct {
	every time.Duration
	stuck func() string // what makes no progress, "" if everything does
	tell  func(state string) error
	log   *slog.Logger
}

// watchdogLimit is how long systemd waits for a sign of life from this process, or 0 if
// systemd does not watch it.
func watchdogLimit() time.Duration {
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 || usec > int64(time.Hour*24/time.Microsecond) {
		return 0
	}
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}

// watch starts the watchdog, if systemd asked for it. It runs as long as the process.
func watch(stuck func() string, log *slog.Logger) {
	if limit := watchdogLimit(); limit > 0 {
		// Three signs in the time in which systemd wants one, so that a single long turn
		// does not end the process.
		w := &watchdog{limit / 3, stuck, notify, log}
		go w.run()
	}
}

func (w *watchdog) run() {
	for calm := true; ; {
		time.Sleep(w.every)
		calm = w.look(calm)
	}
}

// look tells systemd that the process is alive, if it is, and reports whether it is.
func (w *watchdog) look(calm bool) bool {
	if what := w.stuck(); what != "" {
		if calm {
			w.log.Error("a part of the server makes no progress: systemd will end the process if this lasts", "part",
				what, "for", w.every)
		}
		return false
	}
	if err := w.tell("WATCHDOG=1"); err != nil {
		w.log.Warn("cannot notify systemd", "state", "WATCHDOG=1", "error", err)
	}
	return true
}

// stuck names a shard or an event loop that makes no progress, or "".
func (f *fronts) stuck() string {
	s := f.now.Load()
	if s == nil {
		return ""
	}
	shard, loop := s.router.Stuck(), s.beanstalk.Stuck()
	switch {
	case shard >= 0:
		return fmt.Sprintf("shard %d", shard)
	case loop >= 0:
		return fmt.Sprintf("event loop %d", loop)
	}
	return ""
}
