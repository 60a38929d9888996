package beanstalk

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWorker times how a worker takes and deletes small jobs that are there: each with a reserve
// of its own, 16 reserves and then 16 deletes in a write, or 64 with one reserve-batch and then 64
// deletes in a write. The processor's time is that of both sides. Puts are not timed.
func BenchmarkWorker(b *testing.B) {
	for _, shards := range []int{1, 4} {
		b.Run(fmt.Sprintf("reserves/shards=%d", shards), func(b *testing.B) { benchWorker(b, shards, 16, strings.Repeat("reserve\r\n", 16)) })
		b.Run(fmt.Sprintf("batches/shards=%d", shards), func(b *testing.B) { benchWorker(b, shards, 64, "reserve-batch 64 0\r\n") })
	}
}

func benchWorker(b *testing.B, shards, n int, line string) {
	h := newHouse(b, func(o *houseOptions) { o.shards = shards })
	tubes := []string{"t0", "t1", "t2", "t3"}
	c, admin := h.connect("tcp"), h.connect("tcp")
	c.watch(tubes...)
	c.do("ignore default", "WATCHING 4")
	id, put := uint64(0), func(jobs int) {
		for done := 0; done < jobs; done += 500 {
			var in strings.Builder
			for i := range 500 {
				fmt.Fprintf(&in, "put-in-tube %s 0 0 600 16\r\n0123456789abcdef\r\n", tubes[i%4])
			}
			admin.send(in.String())
			for range 500 {
				admin.inserted()
			}
		}
	}
	deletes := func() string {
		var in strings.Builder
		for range n {
			id++
			fmt.Fprintf(&in, "delete %d\r\n", id)
		}
		return in.String()
	}
	const stock = 32000 // a multiple of 16, 64 and 500
	left, used, took, jobs := 0, time.Duration(0), time.Duration(0), 0
	for b.Loop() {
		if left == 0 {
			b.StopTimer()
			put(stock)
			left = stock
			b.StartTimer()
		}
		in, began, cpu := deletes(), time.Now(), processTime()
		c.send(line)
		for range n {
			if got := c.line(); strings.HasPrefix(got, "RESERVED_BATCH") {
				c.line()
			}
			c.line()
		}
		c.send(in)
		for range n {
			c.line()
		}
		took, used, jobs, left = took+time.Since(began), used+processTime()-cpu, jobs+n, left-n
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(jobs), "ns/job")
	b.ReportMetric(float64(used.Nanoseconds())/float64(jobs), "cpu-ns/job")
}

// processTime is how long the processors have worked for this process.
func processTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
