package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// tolerance is how much worse a row may become.
const tolerance = 0.03

// A bounds is a median and where it lies with a certainty of 95 %, whatever the numbers'
// distribution: a few wild pairs move neither much.
type bounds struct {
	median, low, high float64
	n                 int
}

func boundsOf(values []float64) bounds {
	v := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(v) == 0 {
		return bounds{median: math.NaN(), low: math.NaN(), high: math.NaN()}
	}
	slices.Sort(v)
	// The ranks of the sign test.
	n := float64(len(v))
	rank := max(0, int(math.Floor((n-1.96*math.Sqrt(n))/2)))
	return bounds{result.SpreadOf(v).Median, v[rank], v[len(v)-1-rank], len(v)}
}

func (b bounds) String() string {
	if math.IsNaN(b.median) {
		return "–"
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", b.median, b.low, b.high)
}

// metrics are those that are shown of a row.
func (r *duelRow) metrics() []metric {
	if r.row.load.Whole {
		m := []metric{metricThroughput, metricCPU, metricWritten, metricOnDisk, metricPeakMB}
		if r.row.load.Kind != load.KindPut {
			m = m[2:3] // these rows are there for it
		}
		return m
	}
	switch r.row.load.Kind {
	case load.KindMemory, load.KindIdle, load.KindConsumers, load.KindGets:
		return []metric{metricBytes}
	case load.KindRestart:
		if r.row.load.Backlog == 0 {
			return []metric{metricStart}
		}
		return []metric{metricRecovery, metricRecoveredMB, metricOnDisk}
	case load.KindNeighbour:
		return []metric{metricStall, metricStallP999}
	}
	if r.row.load.Rate > 0 || r.row.half {
		return []metric{metricCPU, metricP99}
	}
	return []metric{metricThroughput, metricCPU}
}

func (r *duelRow) ratio(m metric) bounds {
	return boundsOf(ratios(m.all(r.sides[0]), m.all(r.sides[1])))
}

// worse is by how much the new one is worse, as a ratio: 1.05 is five per cent.
func (b bounds) worse(m metric) bounds {
	if m == metricThroughput {
		return bounds{1 / b.median, 1 / b.high, 1 / b.low, b.n}
	}
	return b
}

// verdict is that of the metric whose bounds are closest: if others disturb the
// machine, a server's CPU per operation is more certain than its throughput.
func (r *duelRow) verdict() string {
	best := bounds{median: math.NaN()}
	for i, m := range r.metrics() {
		switch m {
		case metricP99, metricRecoveredMB, metricOnDisk, metricPeakMB, metricStallP999:
			continue // shown only
		case metricWritten:
			if i > 0 {
				continue
			}
		}
		w := r.ratio(m).worse(m)
		if math.IsNaN(best.median) || w.high-w.low < best.high-best.low {
			best = w
		}
	}
	switch {
	case math.IsNaN(best.median):
		return "not measured"
	case best.median <= 1+tolerance:
		return "within 3 %"
	case best.low <= 1+tolerance:
		return "unsure: more pairs are needed"
	}
	return fmt.Sprintf("worse by %.1f %%", (best.median-1)*100)
}

// line is a row of the table.
func (r *duelRow) line() string {
	if r.absent != "" {
		return fmt.Sprintf("| %s | did not start: %s | | | |", r.row.name, strings.ReplaceAll(r.absent, "\n", " "))
	}
	var shown []string
	for _, m := range r.metrics() {
		shown = append(shown, fmt.Sprintf("%s %s", m, r.ratio(m)))
	}
	others := 0.0
	for _, side := range r.sides {
		for _, res := range side {
			others = max(others, res.OthersCPU)
		}
	}
	return fmt.Sprintf("| %s | %s | %d | %.2f | %s |", r.row.name, strings.Join(shown, "; "), len(r.sides[0]), others,
		r.verdict())
}

func (d *duel) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s: medians of the pairs' ratios (95 %% certain).\n\n", d.sides[0], d.sides[1])
	b.WriteString("| row | new, in terms of the base | pairs | others, processors | verdict |\n|---|---|--:|--:|---|\n")
	for i := range d.rows {
		b.WriteString(d.rows[i].line() + "\n")
	}
	return b.String()
}
