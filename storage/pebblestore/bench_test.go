package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
)

// onDisk are the options of a real store in a real directory.
func onDisk(b testing.TB, sync storage.SyncMode) Options {
	return Options{Dir: b.TempDir() + "/data", Sync: sync, Logger: quiet()}
}

// diskUse is what a directory takes, as du counts.
func diskUse(t testing.TB, dir string) (bytes int64) {
	t.Helper()
	must.Do(t, filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			bytes += blocks(info)
		}
		return nil
	}))
	return bytes
}

type counting struct {
	n    atomic.Int64
	free chan struct{} // a token for each turn that may be under way
}

func (c *counting) Committed(err error) {
	if err != nil {
		panic(err)
	}
	c.n.Add(1)
	c.free <- struct{}{}
}

// BenchmarkCommit puts jobs of 100 bytes and deletes them in the next turn but
// three, so many in a turn. One operation is a put and its delete. Two turns are
// under way at a time, as when a shard goes on while its batch is synced.
func BenchmarkCommit(b *testing.B) {
	for _, mode := range []struct {
		name string
		sync storage.SyncMode
	}{{"always", storage.Always}, {"interval", storage.Interval}} {
		for _, perTurn := range []int{1, 64, 256} {
			b.Run(fmt.Sprintf("%s/%d", mode.name, perTurn), func(b *testing.B) {
				benchmarkCommit(b, mode.sync, perTurn)
			})
		}
	}
}

func benchmarkCommit(b *testing.B, mode storage.SyncMode, perTurn int) {
	s := New(onDisk(b, mode))
	l := mustOpen(b, s, 1)[0]
	c := &counting{free: make(chan struct{}, 2)}
	c.free <- struct{}{}
	c.free <- struct{}{}
	j := storage.Job{Tube: "default", State: storage.Ready, TTR: 60, Created: time.Now().UnixNano(), Size: 100}
	body := make([]byte, 100)
	rand.NewChaCha8([32]byte{}).Read(body)
	before := cpuTime(b)
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += perTurn {
		<-c.free
		for i := done; i < done+perTurn; i++ {
			j.ID = uint64(i + 1)
			l.Put(&j, body)
			if i >= 3*perTurn {
				j.ID = uint64(i + 1 - 3*perTurn)
				l.Delete(&j)
			}
		}
		if l.Commit(c) {
			c.free <- struct{}{}
		}
	}
	<-c.free
	<-c.free
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(l.Stats().Syncs)/b.Elapsed().Seconds(), "syncs/s")
	must.Do(b, s.Close())
}

// put writes jobs first to last in turns of 1,000.
func putMany(b testing.TB, l storage.Log, first, last uint64, change func(*storage.Job), size int) {
	body := make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(first), byte(first >> 8), byte(first >> 16)}) // cheap to seed
	for id := first; id <= last; id++ {
		r.Read(body[:min(size, 64)])
		j := storage.Job{ID: id, Tube: "default", State: storage.Ready, TTR: 60, Created: 1, Size: uint32(size)}
		change(&j)
		l.Put(&j, body)
		if id%1000 == 0 || id == last {
			mustCommit(b, l)
		}
	}
}

func asIs(*storage.Job) {}

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
