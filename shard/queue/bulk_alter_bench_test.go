package queue

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkMove measures how long the turns are in which a million jobs go to another tube: of this shard, and, with
// all four steps in both shards, of another.
func BenchmarkMove(b *testing.B) {
	const jobs = 1 << 20
	for name, away := range map[string]bool{"here": false, "away": true} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				m := mover{from: newField(jobs, 1), to: newField(0, 1)}
				m.from.s.Local = func(tube string) bool { return !away || tube != "far" }
				b.StartTimer()
				for m.page(); m.at != 0; {
					m.page()
				}
				if took = append(took, m.took...); m.moved != jobs {
					b.Fatalf("%d jobs have been moved", m.moved)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/turn")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs/turn-p99")
			b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e3, "µs/turn-max")
			b.ReportMetric(float64(len(took))/float64(b.N), "turns")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/jobs, "ns/job")
		})
	}
}

// mover does what a session and a carrier do, without logs.
type mover struct {
	from, to *field
	at       uint32 // the next record of a list
	moved    int
	took     []time.Duration
}

// turns runs a batch to its end.
func (m *mover) turns(f *field, batch *Batch) {
	for done := false; !done; {
		f.s.renew()
		begun := time.Now()
		done = f.s.Run(f.now, batch)
		f.s.Tick(f.now)
		m.took = append(m.took, time.Since(begun))
	}
}

func (m *mover) page() {
	tube := m.from.clients[0].used.name
	l := Listing{Filter: Filter{Tube: tube}, From: m.at, Most: 1000}
	m.turns(m.from, &Batch{List: &l, Ops: []Op{{Kind: List}}})
	m.at = l.Next
	op := Op{Kind: AlterSeveral}
	for i := range l.Jobs {
		op.Data = AppendID(op.Data, l.Jobs[i].ID)
	}
	alter := Batch{Alter: &Altering{Filter: l.Filter, To: "far"}, Ops: []Op{op}}
	m.turns(m.from, &alter)
	m.moved += int(alter.Ops[0].Count)
	for {
		load := Batch{Ops: []Op{{Kind: Load, Limit: 128}}}
		m.turns(m.from, &load)
		m.from.s.Leaves = false
		if load.Ops[0].Count == 0 {
			return
		}
		arrive, depart, show := Batch{Parcels: load.Parcels}, Batch{}, Batch{}
		for i := range load.Parcels {
			arrive.Ops = append(arrive.Ops, Op{Kind: Arrive, From: uint32(i)})
			depart.Ops = append(depart.Ops, Op{Kind: Depart, ID: load.Parcels[i].Source})
			show.Ops = append(show.Ops, Op{Kind: Show, ID: load.Parcels[i].Job.Key()})
		}
		m.turns(m.to, &arrive)
		m.turns(m.from, &depart)
		m.turns(m.to, &show)
	}
}
