package fold

import (
	"bytes"
	"fmt"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"
)

var body = bytes.Repeat([]byte("x"), 150)

// puts appends groups of puts, and behind each the deletes of its jobs if they end.
func puts(jobs, group int, first, stride uint64, end bool) (groups [][]byte) {
	for from := 0; from < jobs; from += group {
		var b []byte
		for i := from; i < from+group; i++ {
			b = append(turns.AppendJob(b, turns.Put, first+uint64(i)*stride, len(body)), body...)
		}
		for i := from; end && i < from+group; i++ {
			b = turns.AppendDelete(b, first+uint64(i)*stride, false, false)
		}
		groups = append(groups, b)
	}
	return groups
}

// filled is a window of so many jobs, and the turns that put them.
func filled(jobs int, stride uint64) (*Window, [][]byte) {
	w, groups := NewWindow(0), puts(jobs, 1000, stride, stride, false)
	for i, b := range groups {
		if err := w.Absorb(b, slotOf(i*1000)); err != nil {
			panic(err)
		}
	}
	return w, groups
}

// slotOf is where a group lies: 10,000 jobs of 160 bytes fill a slot.
func slotOf(job int) turns.At { return turns.NewAt(uint32(job/10_000), int64(job%10_000)*180) }

// The time of a job that comes and goes.
func BenchmarkAbsorb(b *testing.B) {
	const jobs = 100_000
	for _, held := range []int{0, 400_000} {
		for _, stride := range []uint64{1, 8} {
			for _, group := range []int{50, 1000} {
				b.Run(fmt.Sprintf("held=%d/stride=%d/group=%d", held, stride, group), func(b *testing.B) {
					w, _ := filled(held, stride)
					groups := puts(jobs, group, uint64(held+1)*stride, stride, true)
					for b.Loop() {
						for i, g := range groups {
							must.Do(b, w.Absorb(g, slotOf(held+i*group)))
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/jobs, "ns/job")
				})
			}
		}
	}
}

// The time of a job that stays, from the log to a sealed share, and out of the window.
func BenchmarkShare(b *testing.B) {
	const jobs = 100_000
	for _, stride := range []uint64{1, 8} {
		b.Run(fmt.Sprintf("stride=%d", stride), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w, groups := filled(jobs, stride)
				b.StartTimer()
				s := w.NewShare()
				s.Expect(jobs)
				for i, g := range groups {
					must.Do(b, s.Collect(g, slotOf(i*1000)))
				}
				s.Seal(turns.Place{Number: 1})
				s.Done()
				if len(s.Records) != jobs || w.records.n != 0 {
					b.Fatal(len(s.Records), w.records.n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/jobs, "ns/job")
		})
	}
}
