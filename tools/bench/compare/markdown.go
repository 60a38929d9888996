package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
)

// markdown shows a comparison: which goals beanfield reached, and what every server did.
func (c *comparer) markdown(ctx context.Context, date, command string) string {
	var b strings.Builder
	_, machine := measure.Machine()
	fmt.Fprintf(&b, "# beanfield beside its peers\n\n%s, %s.\n`%s`: %s of %s s each.\n\n",
		date, machine, strings.TrimSpace(command), c.roundCount(), short(c.duration.Seconds()))
	fmt.Fprintf(&b, "Loads are put, reserve, delete of 100 bytes, and servers have one core and the load generator another, "+
		"unless a row says otherwise. An operation is one command with its reply. "+
		"Ratios are medians of the rounds' ratios (smallest–largest). Servers:\n\n")
	for _, p := range c.peers {
		if !slices.ContainsFunc(c.results, func(r rowResult) bool { return p.inRow(r.row) }) {
			continue
		}
		command, version := p.shown(ctx)
		if version != "" {
			version = ", " + version
		}
		class := p.Class
		if class == "" {
			class = "memory"
		}
		fmt.Fprintf(&b, "- %s (%s): `%s`%s\n", p.Name, class, command, version)
	}
	b.WriteString("\n## Goals\n\n| load | measure | goal | measured | reached |\n|---|---|--:|--:|---|\n")
	for i := range c.results {
		r := &c.results[i]
		for _, g := range r.Goals {
			got := r.measured(g)
			line(&b, r.Title, string(g.metric), g.String(), got.String(), r.verdict(g, got))
		}
	}
	for i := range tables {
		tables[i].write(&b, c.results)
	}
	c.remarks(&b)
	return b.String()
}

func (c *comparer) roundCount() string {
	if c.rounds == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", c.rounds)
}

func (r *rowResult) find(match func(*peerResult) bool) *peerResult {
	for k := range r.peers {
		if match(&r.peers[k]) {
			return &r.peers[k]
		}
	}
	return nil
}

func (r *rowResult) baseline() *peerResult {
	return r.find(func(p *peerResult) bool { return p.baseline })
}

func (r *rowResult) floor() *peerResult { return r.find(func(p *peerResult) bool { return p.bare }) }

func (r *rowResult) ours() *peerResult { return r.find(func(p *peerResult) bool { return p.ours }) }

// ratio compares a peer with another in the same rounds.
func ratio(m metric, p, to *peerResult) spread {
	if p == nil || to == nil {
		return spreadOf(nil)
	}
	return spreadOf(m.ratios(p.rounds, to.rounds))
}

// against is a peer's ratio to what the row is compared with.
func (r *rowResult) against(m metric, p *peerResult) spread {
	if r.Own != nil && p != nil {
		return spreadOf(m.ratios(p.rounds, p.own))
	}
	return ratio(m, p, r.baseline())
}

// atFloor is the distance to the bare loop within which a report says that a goal was missed at the floor: no server
// can do with much less.
const atFloor = 1.15

// measured is beanfield's number, or its ratio to what the row is compared with.
func (r *rowResult) measured(g goal) spread {
	p := r.ours()
	switch {
	case p == nil:
		return spreadOf(nil)
	case g.of != "":
		return ratio(g.metric, p, r.find(func(p *peerResult) bool { return p.Name == g.of }))
	case g.ratio:
		return r.against(g.metric, p)
	}
	return spreadOf(g.metric.all(p.rounds))
}

// unsure tells that most of the measurements that count were disturbed.
func (r *rowResult) unsure() bool {
	all, bad := 0, 0
	for _, p := range r.peers {
		for _, res := range p.rounds {
			if p.ours || p.baseline {
				all++
				if res.OthersCPU > othersAllowed {
					bad++
				}
			}
		}
	}
	return 2*bad > all
}

func (r *rowResult) verdict(g goal, got spread) string {
	switch {
	case !got.known():
		return "not measured"
	case r.unsure() && !metrics[g.metric].steady:
		return "unsure: others used the machine"
	case g.met(got.median):
		return "yes"
	}
	if g.metric == stall {
		var waits []float64
		for _, res := range r.ours().rounds {
			waits = append(waits, res.Stall.BareUs)
		}
		if bare := spreadOf(waits).median; got.median <= atFloor*bare {
			return fmt.Sprintf("missed (at the floor: a bare loop stalls %s µs here)", short(bare))
		}
	}
	f := ratio(cpu, r.ours(), r.floor())
	// Where a reply waits for the disk, the processor is not what holds it up.
	if r.Class != always && f.known() && f.median <= atFloor && (g.metric == throughput || g.metric == cpu) {
		return fmt.Sprintf("missed (at the floor: %s x the CPU of the bare loop)", short(f.median))
	}
	return "missed"
}

// remarks say where a number must be read with care.
func (c *comparer) remarks(b *strings.Builder) {
	var bound []string
	worst, where := 0.0, ""
	for i := range c.results {
		r := &c.results[i]
		for _, p := range r.peers {
			if slices.ContainsFunc(p.rounds, (*load.Result).GeneratorBound) {
				bound = append(bound, fmt.Sprintf("%s (%s)", p.Name, r.Title))
			}
			for _, res := range p.rounds {
				if res.OthersCPU > worst {
					worst, where = res.OthersCPU, " ("+r.Title+")"
				}
			}
		}
	}
	b.WriteByte('\n')
	if len(bound) > 0 {
		fmt.Fprintf(b, "The generator was the bottleneck, so that more would have been possible, for: %s.\n",
			strings.Join(bound, "; "))
	}
	fmt.Fprintf(b, "Others on the machine used at most %.2f of a processor during a measurement%s.\n", worst, where)
}
