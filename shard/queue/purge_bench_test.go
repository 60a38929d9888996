package queue

import (
	"flag"
	"runtime"
	"slices"
	"testing"
	"time"
)

var purgeJobs = flag.Int("queue.purge", 1<<20, "how many jobs BenchmarkPurge ends")

// BenchmarkPurge measures how long a purge takes to answer, and how long the turns are afterwards that
// give back what the jobs had.
func BenchmarkPurge(b *testing.B) {
	var took []time.Duration
	answer := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		f := newField(*purgeJobs, 1)
		runtime.GC()
		b.StartTimer()
		begun := time.Now()
		n := f.apply(nil, Op{Kind: Truncate, Data: []byte("tube0")}).Count
		answer = max(answer, time.Since(begun))
		if int(n) < *purgeJobs || f.s.totals.Ready != 0 {
			b.Fatalf("%d jobs have ended", n)
		}
		for f.s.graving() {
			begun := time.Now()
			f.s.Tick(f.now)
			took = append(took, time.Since(begun))
		}
		if f.s.index.N != 0 || f.s.jobs.Used() != 0 {
			b.Fatalf("%d jobs are left", f.s.index.N)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(answer.Nanoseconds())/1e3, "µs/answer-max")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/turn")
	b.ReportMetric(float64(took[len(took)*999/1000].Nanoseconds())/1e3, "µs/turn-p99.9")
	b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e3, "µs/turn-max")
	b.ReportMetric(float64(len(took))/float64(b.N), "turns")
}
