package pebblestore

import (
	"os"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// blocks is what a file takes on the disk, preallocated space included.
func blocks(info os.FileInfo) int64 {
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}

// cpuTime is what this process has used.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
