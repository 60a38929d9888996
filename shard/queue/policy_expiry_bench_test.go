package queue

import (
	"slices"
	"testing"
	"time"

	"beanfield/shard/queue/policy"
)

// BenchmarkExpiry measures how long the turns are in which a million jobs end that get too old at the
// same instant.
func BenchmarkExpiry(b *testing.B) {
	const jobs = 1 << 20
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		f := newField(0, 1)
		f.s.SetPolicies(func(string) *policy.Policy { return &policy.Policy{Expire: int64(time.Hour)} })
		for f.s.Tick(f.now) {
		}
		for range jobs {
			f.put(&f.clients[0])
		}
		f.now += int64(time.Hour) + second
		b.StartTimer()
		for more := true; more; {
			begun := time.Now()
			more = f.s.Tick(f.now)
			took = append(took, time.Since(begun))
		}
		if n := f.s.counters[policy.ActionExpire]; n != jobs {
			b.Fatalf("%d jobs have ended", n)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/turn")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs/turn-p99")
	b.ReportMetric(float64(len(took))/float64(b.N), "turns")
}
