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
		b.Run(fmt.Sprintf("reserves/shards=%d", shards), func(b *testing.B) {
			benchWorker(b, shards, 16, strings.Repeat("reserve\r\n", 16))
		})
		b.Run(fmt.Sprintf("batches/shards=%d", shards), func(b *testing.B) {
			benchWorker(b, shards, 64, "reserve-batch 64 0\r\n")
		})
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

// BenchmarkCycles times jobs that are put, reserved and deleted: 16 cycles in a write, or 64 jobs with one
// put-batch, one reserve-batch and one delete-batch in a write. The two take turns. The
// processor's time is that of both sides, but commands are worded before.
func BenchmarkCycles(b *testing.B) {
	for _, size := range []int{16, 1000} {
		for _, shards := range []int{1, 4} {
			b.Run(fmt.Sprintf("bytes=%d/shards=%d", size, shards), func(b *testing.B) {
				h := newHouse(b, func(o *houseOptions) { o.shards = shards })
				c := h.connect("tcp")
				c.watch("t0", "t1", "t2", "t3")
				c.do("ignore default", "WATCHING 4")
				body, id := strings.Repeat("x", size), uint64(0)
				var single, batch lap
				for b.Loop() {
					var cycles [4]string
					for i := range cycles {
						cycles[i], id = singleCycles(16, body, id)
					}
					single.time(64, func() {
						for _, in := range cycles {
							c.send(in)
							c.pass(4 * 16)
						}
					})
					in, last := batchCycle(64, body, id)
					id = last
					batch.time(64, func() {
						c.send(in)
						c.pass(1 + 64 + 1 + 2*64)
					})
					if got := c.line(); got != "DELETED_BATCH 64 0" {
						b.Fatal(got)
					}
				}
				b.ReportMetric(float64(batch.took)/float64(single.took), "time-ratio")
				b.ReportMetric(float64(batch.used)/float64(single.used), "cpu-ratio")
				b.ReportMetric(float64(single.used)/float64(single.jobs), "single-cpu-ns/job")
				b.ReportMetric(float64(batch.used)/float64(batch.jobs), "batch-cpu-ns/job")
			})
		}
	}
}

// lap adds up what rounds take.
type lap struct {
	took, used time.Duration
	jobs       int
}

func (l *lap) time(jobs int, run func()) {
	began, cpu := time.Now(), processTime()
	run()
	l.took, l.used, l.jobs = l.took+time.Since(began), l.used+processTime()-cpu, l.jobs+jobs
}

// singleCycles are puts, reserves and deletes of jobs, with a command for each. The latest id was last.
func singleCycles(n int, body string, last uint64) (_ string, latest uint64) {
	var in strings.Builder
	for i := range n {
		last++
		fmt.Fprintf(&in, "put-in-tube t%d 0 0 600 %d\r\n%s\r\nreserve\r\ndelete %d\r\n", i%4, len(body), body, last)
	}
	return in.String(), last
}

// batchCycle is the same with a command for all jobs.
func batchCycle(n int, body string, last uint64) (_ string, latest uint64) {
	var in, ids strings.Builder
	for i := range n {
		last++
		fmt.Fprintf(&in, "0 0 600 %d tube=t%d\r\n%s\r\n", len(body), i%4, body)
		fmt.Fprintf(&ids, "%d ", last)
	}
	return fmt.Sprintf("put-batch %d\r\n%s\r\nreserve-batch %d 0\r\ndelete-batch %d\r\n%s\r\n", in.Len(), in.String(),
		n, ids.Len(), ids.String()), last
}

// pass reads so many lines.
func (c *client) pass(n int) {
	for range n {
		if _, err := c.br.ReadSlice('\n'); err != nil {
			c.t.Fatal(err)
		}
	}
}

// processTime is how long the processors have worked for this process.
func processTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
