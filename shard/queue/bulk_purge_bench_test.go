package queue

import (
	"flag"
	"runtime"
	"slices"
	"testing"
	"time"
)

var purgeJobs = flag.Int("queue.purge", 1<<20, "how many jobs BenchmarkPurge ends")

// BenchmarkPurge measures how long a truncate takes to answer, and how long the turns are until it has answered and
// what the jobs had is given back: where it is a purge, and where jobs are ended one by one.
func BenchmarkPurge(b *testing.B) {
	for _, c := range []struct {
		name   string
		before func(f *field)
		left   int
	}{
		{"tube", func(*field) {}, 0},
		{"queue", func(f *field) { f.watchAs("g") }, 0},
		{"groups=2", func(f *field) { f.watchAs("g", "h") }, 0},
		{"groups=2/passed=1", func(f *field) {
			f.watchAs("g", "h")
			f.apply(&f.clients[0], Op{Kind: Delete, ID: f.apply(&f.clients[0], Op{Kind: Reserve, Poll: true}).ID})
		}, 0},
		{"reserved=20000", func(f *field) {
			for range 20000 {
				f.apply(&f.clients[0], Op{Kind: Reserve, Poll: true})
			}
		}, 20000},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkPurge(b, c.before, c.left) })
	}
}

func benchmarkPurge(b *testing.B, before func(f *field), left int) {
	var took []time.Duration
	answer := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		f := newField(*purgeJobs+left, 1)
		before(f)
		runtime.GC()
		b.StartTimer()
		begun := time.Now()
		took = append(took, f.through(Op{Kind: Truncate, Data: []byte("tube0")})...)
		answer = max(answer, time.Since(begun))
		for f.s.graving() {
			begun := time.Now()
			f.s.Tick(f.now)
			took = append(took, time.Since(begun))
		}
		if n := f.s.jobs.Used(); int(f.s.index.N) != left || int(n) != left {
			b.Fatalf("%d jobs are left, in the index %d", n, f.s.index.N)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(answer.Nanoseconds())/1e3, "µs/answer-max")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/turn")
	b.ReportMetric(float64(took[len(took)*999/1000].Nanoseconds())/1e3, "µs/turn-p99.9")
	b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e3, "µs/turn-max")
	b.ReportMetric(float64(len(took))/float64(b.N), "turns")
}

// through runs an operation to its end, and says how long each turn was.
func (f *field) through(op Op) (turns []time.Duration) {
	for b, done := batchOf(nil, op), false; !done; {
		begun := time.Now()
		done = f.s.Run(f.now, b)
		f.s.Tick(f.now)
		turns = append(turns, time.Since(begun))
	}
	return turns
}

// watchAs makes groups that take nothing.
func (f *field) watchAs(groups ...string) {
	for _, g := range groups {
		k := &sink{f: &pushField{field: f}, user: g}
		f.through(Op{Kind: Service, Ask: &Ask{What: AskWatch, Queue: "tube0", Group: g, User: "u", Limits: testLimits,
			Receiver: k}})
	}
}
