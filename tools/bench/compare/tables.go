//go:build linux

package compare

import (
	"slices"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/peers"
)

// A table shows those rows of a comparison that belong to it: a line for each server. See report.toml.
type table struct {
	Head, First, Rows string
	Columns           []column
}

// A column has a cell for a server.
type column struct {
	Title, Over string
	Metric      metric
	Spread      bool
}

func (r *row) restarts() bool { return r.Load.Kind == load.Restart }

func (r *row) stalls() bool { return r.Load.Kind == load.Neighbour }

// in tells whether a row belongs to a table.
func (r *row) in(table string) bool {
	switch {
	case r.Set == "peers" && r.restarts():
		return table == "backlogs"
	case r.Set == "peers" && r.Load.Kind == peers.Delayed:
		return table == "delays"
	case r.Set == "peers":
		return table == "peers"
	case r.restarts():
		return table == "restarts"
	case r.stalls():
		return table == "stalls"
	}
	return table == "loads" || table == "disk" && r.Class != ""
}

// titles are the first line, without a table's first two cells.
func (t *table) titles() (titles []string) {
	for _, c := range t.Columns {
		if c.Over != "" {
			c.Title = "× " + c.Over
		}
		titles = append(titles, c.Title)
	}
	return titles
}

// lines are those of the rows that belong to the table.
func (t *table) lines(results []rowResult) (lines [][]string) {
	for i := range results {
		r := &results[i]
		for k := range r.peers {
			if r.in(t.Rows) {
				lines = append(lines, append([]string{r.Title, r.peers[k].Name}, t.cells(r, &r.peers[k])...))
			}
		}
	}
	return lines
}

// cells are those of a server. Memory has a number of its own.
func (t *table) cells(r *rowResult, p *peerResult) []string {
	cells := make([]string, len(t.Columns))
	if p.absent != "" {
		if cells[0] = "did not start"; p.other != nil {
			cells[0] = "left out"
		}
		return cells
	}
	for i, c := range t.Columns {
		cells[i] = c.cell(r, p)
	}
	if r.Load.Waits() && t.Rows == "loads" {
		clear(cells[:len(cells)-1])
		cells[0] = (&column{Metric: bytesEach}).cell(r, p) + " bytes each"
		cells[1] = (&column{Metric: bytesEach, Over: beanstalkd}).cell(r, p)
	}
	return cells
}

func (c *column) cell(r *rowResult, p *peerResult) string {
	if c.Over == "" {
		v := c.Metric.all(p.rounds)
		if c.Spread {
			return spreadOf(v).String()
		}
		// Nothing is shown where it is unknown or zero.
		return short(spreadOf(slices.DeleteFunc(v, func(x float64) bool { return !(x > 0) })).median)
	}
	base := r.floor()
	if c.Over != bareLoop {
		base = r.baseline()
	}
	switch {
	case base != p:
		return ratio(c.Metric, p, base).String()
	case r.restarts() && r.Load.Backlog == 0:
		return "–"
	}
	return "1"
}
