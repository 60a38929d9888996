package compare

import (
	"strings"

	"beanfield/tools/bench/load"
)

// A table shows those rows of a comparison that belong to it: a line for each server.
type table struct {
	head    string
	first   string // what its first column has
	belongs func(*rowResult) bool
	columns []column
}

// A column has a cell for a server.
type column struct {
	title string
	cell  func(*rowResult, *peerResult) string
}

// middle shows the median of a number, and nothing where it is unknown or zero.
func middle(title string, of func(*load.Result) float64) column {
	return column{title, func(_ *rowResult, p *peerResult) string {
		var v []float64
		for _, res := range p.rounds {
			if x := of(res); x > 0 {
				v = append(v, x)
			}
		}
		return short(spreadOf(v).median)
	}}
}

// spreads shows the median and the edges of a number of stalls.
func spreads(title string, of func(*load.Stall) float64) column {
	return column{title, func(_ *rowResult, p *peerResult) string {
		var v []float64
		for _, res := range p.rounds {
			v = append(v, stalled(of)(res))
		}
		return spreadOf(v).String()
	}}
}

// besides is a server's ratio to the baseline, and the floor, or to itself.
func besides(m metric) []column {
	over := func(title string, to func(*rowResult) *peerResult) column {
		return column{"× " + title, func(r *rowResult, p *peerResult) string {
			switch base := to(r); {
			case base != p:
				return ratio(m, p, base).String()
			case r.restarts() && r.Load.Backlog == 0:
				return "–"
			}
			return "1"
		}}
	}
	return []column{over(beanstalkd, (*rowResult).baseline), over(bareLoop, (*rowResult).floor)}
}

func (r *row) restarts() bool { return r.Load.Kind == load.Restart }

func (r *row) stalls() bool { return r.Load.Kind == load.Neighbour }

// The tables. Restarts and stalls have numbers of their own, and so their rows have tables of their own.
var tables = []table{
	{
		"## All measurements\n", "load", func(r *rowResult) bool { return !r.restarts() && !r.stalls() },
		[]column{
			middle("ops/s", throughput.of), besides(throughput)[0], besides(throughput)[1],
			middle("CPU µs/op", cpu.of), besides(cpu)[0], besides(cpu)[1],
			middle("p50 µs", p50.of), middle("p99 µs", p99.of), middle("p99.9 µs", p999.of), middle("RSS MB", resident.of),
		},
	},
	{
		"## On the disk\n\n" +
			"What a server wrote while it was measured is what the kernel counts for its process or for its disk, whichever is less. " +
			"The bare loop with a log reads all that is ready, makes one write and one sync, and answers; " +
			"it recovers nothing and never tidies up.\n",
		"load",
		func(r *rowResult) bool { return r.Class != "" && !r.restarts() && !r.stalls() },
		[]column{
			middle("CPU µs/job", jobCPU.of), middle("bytes written/job", written.of), middle("MB on the disk", onDisk.of),
			middle("highest MB", peakMB.of),
		},
	},
	{
		"## Restarts\n\n" +
			"Nothing is pinned. A server is started without data, filled, ended with SIGTERM and started again. " +
			"Recovery lasts from the second start to the reply that counts every job; " +
			"the memory after it is read when the server has settled, the highest is its VmHWM.\n",
		"load",
		func(r *rowResult) bool { return r.restarts() },
		[]column{
			middle("start ms", start.of),
			middle("load s", restart(func(u *load.Recovery) float64 { return u.LoadSec })),
			middle("RSS MB", restart(func(u *load.Recovery) float64 { return mb(u.LoadedRSS) })),
			middle("highest MB", loadedMB.of),
			middle("end s", restart(func(u *load.Recovery) float64 { return u.StopSec })),
			middle("recovery s", recovery.of), besides(recovery)[0], middle("highest MB", recoveredMB.of),
			middle("RSS MB", restart(func(u *load.Recovery) float64 { return mb(u.RecoveredRSS) })),
		},
	},
	{
		"## Stalls\n\n" +
			"One connection puts, reserves and deletes 100 bytes in a tube of its own, on a server with one shard, " +
			"for a second in peace and then while others do what the row says. " +
			"All numbers are medians (smallest–largest).\n",
		"beside it",
		func(r *rowResult) bool { return r.stalls() },
		[]column{
			spreads("longest stall µs", func(s *load.Stall) float64 { return s.Disturbed.Max }), besides(stall)[0],
			spreads("p99.9 µs", func(s *load.Stall) float64 { return s.Disturbed.P999 }),
			spreads("longest in peace µs", func(s *load.Stall) float64 { return s.Peace.Max }),
			spreads("p99.9 in peace µs", func(s *load.Stall) float64 { return s.Peace.P999 }),
			spreads("took s", func(s *load.Stall) float64 { return s.TookSec }),
			spreads("server worked µs", func(s *load.Stall) float64 { return s.WorkUs }),
			spreads("generator away µs", func(s *load.Stall) float64 { return s.AwayUs }),
			middle("bare loop µs", stalled(func(s *load.Stall) float64 { return s.BareUs })),
		},
	},
}

// write shows the rows that belong to the table, if there are any.
func (t *table) write(b *strings.Builder, results []rowResult) {
	begun := false
	for i := range results {
		r := &results[i]
		if !t.belongs(r) {
			continue
		}
		if !begun {
			begun = true
			titles := []string{t.first, "server"}
			for _, c := range t.columns {
				titles = append(titles, c.title)
			}
			b.WriteString("\n" + t.head + "\n")
			line(b, titles...)
			b.WriteString("|---|---|" + strings.Repeat("--:|", len(t.columns)) + "\n")
		}
		for k := range r.peers {
			line(b, append([]string{r.Title, r.peers[k].Name}, t.cells(r, &r.peers[k])...)...)
		}
	}
}

// line is one of a table.
func line(b *strings.Builder, cells ...string) {
	b.WriteByte('|')
	for _, cell := range cells {
		b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
	}
	b.WriteByte('\n')
}

// cells are those of a server. Memory has a number of its own.
func (t *table) cells(r *rowResult, p *peerResult) []string {
	cells := make([]string, len(t.columns))
	if p.absent != "" {
		cells[0] = "did not start"
		return cells
	}
	for i, c := range t.columns {
		cells[i] = c.cell(r, p)
	}
	if r.Load.Waits() && t.columns[0].title == "ops/s" {
		clear(cells[:len(cells)-1])
		cells[0], cells[1] = middle("", bytesEach.of).cell(r, p)+" bytes each", besides(bytesEach)[0].cell(r, p)
	}
	return cells
}
