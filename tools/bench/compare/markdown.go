package compare

import (
	"fmt"
	"strings"

	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
)

// markdown shows a comparison as two tables: what every server did, and which goals
// beanfield reached.
func (c *comparison) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# beanfield beside its peers\n\n%s, %s.\n`%s`: %s of %s s each.\n\n",
		c.Date, c.Machine, strings.TrimSpace(c.Command), c.roundCount(), result.Short(c.Seconds))
	fmt.Fprintf(&b, "Loads are put, reserve, delete of 100 bytes, and servers have one core and the load generator "+
		"another, "+
		"unless a row says otherwise. An operation is one command with its reply. "+
		"Ratios are medians of the rounds' ratios (smallest–largest). Servers:\n\n")
	for _, p := range c.Peers {
		fmt.Fprintf(&b, "- %s (%s): `%s`", p.Name, p.Class, p.shown())
		if p.Version != "" {
			fmt.Fprintf(&b, ", %s", p.Version)
		}
		b.WriteByte('\n')
	}
	c.goalTable(&b)
	b.WriteString("\n## All measurements\n")
	c.table(&b, "| load | server | ops/s | × beanstalkd | × bare loop | CPU µs/op | × beanstalkd | × bare loop | "+
		"p50 µs | p99 µs | p99.9 µs | RSS MB |\n"+
		"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
		func(r *rowResult) bool { return !r.restarts() && !r.stalls() }, (*rowResult).cells)
	c.table(&b, diskHead, (*rowResult).onDisk, (*rowResult).diskCells)
	c.table(&b, restartHead, (*rowResult).restarts, (*rowResult).restartCells)
	c.table(&b, stallHead, (*rowResult).stalls, (*rowResult).stallCells)
	c.remarks(&b)
	return b.String()
}

func (c *comparison) roundCount() string {
	if c.Rounds == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", c.Rounds)
}

// table shows the rows that belong to it, if there are any: the cells of a peer, or no line.
func (c *comparison) table(b *strings.Builder, head string, belongs func(*rowResult) bool, cells func(*rowResult,
	*peerResult) []string) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if !belongs(r) {
			continue
		}
		if head != "" {
			b.WriteString("\n" + head)
			head = ""
		}
		for k := range r.Peers {
			p := &r.Peers[k]
			line := cells(r, p)
			if line == nil {
				continue
			}
			if p.Absent != "" {
				clear(line)
				line[0] = "did not start"
			}
			fmt.Fprintf(b, "| %s | %s |", r.Title, p.Name)
			for _, cell := range line {
				b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
			}
			b.WriteByte('\n')
		}
	}
}

func (r *rowResult) peerNamed(match func(*peerResult) bool) *peerResult {
	for k := range r.Peers {
		if match(&r.Peers[k]) {
			return &r.Peers[k]
		}
	}
	return nil
}

func (r *rowResult) baseline() *peerResult {
	return r.peerNamed(func(p *peerResult) bool { return p.peer.baseline })
}

func (r *rowResult) floor() *peerResult {
	return r.peerNamed(func(p *peerResult) bool { return p.peer.bare })
}

func (r *rowResult) beanfield() *peerResult { return r.named(nameBeanfield) }

func (r *rowResult) named(name string) *peerResult {
	return r.peerNamed(func(p *peerResult) bool { return p.Name == name })
}

// ratio compares a peer with another in the same rounds.
func ratio(m metric, p, to *peerResult) result.Spread {
	if p == nil || to == nil {
		return result.SpreadOf(nil)
	}
	return result.SpreadOf(ratios(m.all(p.Rounds), m.all(to.Rounds)))
}

// middle shows the median of a number, and nothing where it is unknown or zero.
func (p *peerResult) middle(of func(*result.Result) float64) string {
	var v []float64
	for _, res := range p.Rounds {
		if x := of(res); x > 0 {
			v = append(v, x)
		}
	}
	return result.Short(result.SpreadOf(v).Median)
}

// versus is a server's ratio to another, or to itself.
func (r *rowResult) versus(m metric, p, to *peerResult) string {
	if to == p {
		return "1"
	}
	return ratio(m, p, to).String()
}

func (r *rowResult) cells(p *peerResult) []string {
	mid := p.middle
	against := func(m metric, to *peerResult) string { return r.versus(m, p, to) }
	resident := mid(func(x *result.Result) float64 { return result.MB(x.Server.RSS) })
	if bytes := mid(metricBytes.of); bytes != "–" {
		return []string{bytes + " bytes each", against(metricBytes, r.baseline()), "", "", "", "", "", "", "", resident}
	}
	return []string{
		mid(metricThroughput.of), against(metricThroughput, r.baseline()), against(metricThroughput, r.floor()),
		mid(metricCPU.of), against(metricCPU, r.baseline()), against(metricCPU, r.floor()),
		mid(metricP50.of), mid(metricP99.of), mid(metricP999.of), resident,
	}
}

// atFloor is the distance to the bare loop within which a report says that a goal was
// missed at the floor: no server can do with much less.
const atFloor = 1.15

func (c *comparison) goalTable(b *strings.Builder) {
	b.WriteString("\n## Goals\n\n| load | measure | goal | measured | reached |\n|---|---|--:|--:|---|\n")
	for i := range c.Rows {
		r := &c.Rows[i]
		for _, g := range r.row.goals {
			if g.of != "" && r.named(g.of) == nil {
				continue // nobody asked for that peer
			}
			got := r.measured(g)
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.Title, g.metric, g, got, r.verdict(g, got))
		}
	}
}

// measured is beanfield's number, or its ratio to what the row is compared with.
func (r *rowResult) measured(g goal) result.Spread {
	p := r.beanfield()
	switch {
	case p == nil:
		return result.SpreadOf(nil)
	case g.absolute:
		return result.SpreadOf(g.metric.all(p.Rounds))
	case r.row.own != nil:
		return result.SpreadOf(ratios(g.metric.all(p.Rounds), g.metric.all(p.Own)))
	case g.of != "":
		return ratio(g.metric, p, r.named(g.of))
	default:
		return ratio(g.metric, p, r.baseline())
	}
}

// unsure tells that most of the measurements that count were disturbed.
func (r *rowResult) unsure() bool {
	all, bad := 0, 0
	for _, p := range []*peerResult{r.beanfield(), r.baseline()} {
		if p == nil {
			continue
		}
		for _, res := range p.Rounds {
			all++
			if res.OthersCPU > machine.OthersAllowed {
				bad++
			}
		}
	}
	return 2*bad > all
}

func (r *rowResult) verdict(g goal, got result.Spread) string {
	switch {
	case !got.Known():
		return "not measured"
	case r.unsure() && !metrics[g.metric].steady:
		return "unsure: others used the machine"
	case g.met(got.Median):
		return "yes"
	}
	if bare := r.beanfield().bare(); g.metric == metricStall && got.Median <= atFloor*bare {
		return fmt.Sprintf("missed (at the floor: a bare loop stalls %s µs here)", result.Short(bare))
	}
	f := ratio(metricCPU, r.beanfield(), r.floor())
	// Where a reply waits for the disk, the processor is not what holds it up.
	if r.row.class != classAlways && f.Known() && f.Median <= atFloor && (g.metric == metricThroughput ||
		g.metric == metricCPU) {
		return fmt.Sprintf("missed (at the floor: %s x the CPU of the bare loop)", result.Short(f.Median))
	}
	return "missed"
}

// remarks say where a number must be read with care.
func (c *comparison) remarks(b *strings.Builder) {
	var bound []string
	worst, where := 0.0, ""
	for i := range c.Rows {
		for _, p := range c.Rows[i].Peers {
			limited := 0
			for _, res := range p.Rounds {
				if res.GeneratorBound() {
					limited++
				}
				if res.OthersCPU > worst {
					worst, where = res.OthersCPU, c.Rows[i].Title
				}
			}
			if limited > 0 {
				bound = append(bound, fmt.Sprintf("%s (%s)", p.Name, c.Rows[i].Title))
			}
		}
	}
	b.WriteByte('\n')
	if len(bound) > 0 {
		fmt.Fprintf(b, "The generator was the bottleneck, so that more would have been possible, for: %s.\n",
			strings.Join(bound, "; "))
	}
	fmt.Fprintf(b, "Others on the machine used at most %.2f of a processor during a measurement", worst)
	if where != "" {
		fmt.Fprintf(b, " (%s)", where)
	}
	b.WriteString(".\n")
}
