package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkList measures how long the turns of a list through a million jobs are, of which it finds none:
// by age, by body, and by tags; and likewise after jobs have come and gone, so that records and
// bodies lie anywhere.
func BenchmarkList(b *testing.B) {
	for _, churned := range []bool{false, true} {
		const jobs = 1 << 20
		f := newField(jobs, 1)
		s, r := f.s, rand.New(rand.NewPCG(1, 2))
		for range jobs * 2 {
			if !churned {
				break
			}
			if slot := 1 + r.Uint32N(jobs); s.jobs.At(slot).id() != 0 {
				f.apply(&f.clients[0], Op{Kind: Delete, ID: s.jobs.At(slot).id()})
				s.share = Slice
			}
			if r.IntN(2) == 0 {
				f.put(&f.clients[0])
			}
		}
		for name, f := range map[string]Filter{
			"all-young": {Younger: 1}, "body": {Body: []byte("needle")}, "tube-body": {Tube: "tube0",
				Body: []byte("needle")},
			"tags": {Tags: MakeTags(map[string]string{"k": "v"})},
		} {
			b.Run(fmt.Sprintf("%s/churned=%t", name, churned), func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					l := Listing{Filter: f, From: 1, Most: 1000}
					for ; l.From != 0; l.From = l.Next {
						s.renew()
						begun := time.Now()
						s.Run(1, &Batch{List: &l, Ops: []Op{{Kind: List}}})
						took = append(took, time.Since(begun))
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/turn")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "µs/turn-p95")
				b.ReportMetric(float64(len(took))/float64(b.N), "turns")
			})
		}
	}
}
