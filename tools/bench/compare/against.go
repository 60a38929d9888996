//go:build linux

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tolerance is how much worse a row may become.
const tolerance = 0.03

// bounds are a median and where it lies with a certainty of 95 %, whatever the numbers' distribution: a few wild pairs
// move neither much.
type bounds struct{ median, low, high float64 }

func boundsOf(values []float64) bounds {
	v := sorted(values)
	if len(v) == 0 {
		return bounds{math.NaN(), math.NaN(), math.NaN()}
	}
	// The ranks of the sign test.
	n := float64(len(v))
	rank := max(0, int(math.Floor((n-1.96*math.Sqrt(n))/2)))
	return bounds{spreadOf(v).median, v[rank], v[len(v)-1-rank]}
}

func (b bounds) String() string { return fmt.Sprintf("%.3f (%.3f–%.3f)", b.median, b.low, b.high) }

// worse is by how much the new one is worse, as a ratio: 1.05 is five per cent.
func (b bounds) worse(m metric) bounds {
	if m == throughput {
		return bounds{1 / b.median, 1 / b.high, 1 / b.low}
	}
	return b
}

// verdict is that of the metric whose bounds are closest: if others disturb the machine, a server's CPU per operation
// is more certain than its throughput.
func (r *rowResult) verdict95() string {
	best := bounds{median: math.NaN()}
	for i, m := range r.shown() {
		if i > 0 && !slices.Contains([]metric{throughput, cpu}, m) {
			continue // shown only
		}
		w := boundsOf(m.ratios(r.peers[0].rounds, r.peers[1].rounds)).worse(m)
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

// line is a row of the table of two builds.
func (r *rowResult) line() string {
	fresh, base := &r.peers[0], &r.peers[1]
	if absent := fresh.absent + base.absent; absent != "" {
		return fmt.Sprintf("| %s | did not start: %s | | | |", r.Name, strings.ReplaceAll(absent, "\n", " "))
	}
	var shown []string
	for _, m := range r.shown() {
		shown = append(shown, fmt.Sprintf("%s %s", m, boundsOf(m.ratios(fresh.rounds, base.rounds))))
	}
	others := 0.0
	for _, res := range slices.Concat(fresh.rounds, base.rounds) {
		others = max(others, res.OthersCPU)
	}
	return fmt.Sprintf("| %s | %s | %d | %.2f | %s |", r.Name, strings.Join(shown, "; "), len(fresh.rounds), others,
		r.verdict95())
}

// builds shows how a build of beanfield compares with an older one.
func (c *comparer) builds() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s: medians of the pairs' ratios (95 %% certain).\n\n", c.peers[0].Name,
		c.peers[1].Name)
	b.WriteString("| row | new, in terms of the base | pairs | others, processors | verdict |\n|---|---|--:|--:|---|\n")
	for i := range c.results {
		b.WriteString(c.results[i].line() + "\n")
	}
	return b.String()
}
