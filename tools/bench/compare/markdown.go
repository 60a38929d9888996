//go:build linux

package compare

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/bench/peers"
)

//go:embed results.tmpl
var resultsText string

var results = template.Must(template.New("results").Parse(resultsText))

// A shownTable is a table of a report with its cells.
type shownTable struct {
	Head, First string
	Titles      []string
	Lines       [][]string
}

// A report is what results.tmpl shows.
type report struct {
	Date, Machine, Command, Rounds, Seconds string
	Servers                                 []string
	Goals                                   [][]string
	Tables                                  []shownTable
	Bound, Where                            string // see remarks
	Middle, Worst                           float64
	Busy                                    bool     // others took much, most of the time
	Out                                     []string // who was left out of which row, and why
}

// markdown shows a comparison: which goals beanfield reached, and what every server did.
func (c *comparer) markdown(ctx context.Context, date, command string) string {
	r := report{Date: date, Command: strings.TrimSpace(command), Rounds: c.roundCount(),
		Seconds: short(c.duration.Seconds())}
	_, r.Machine = measure.Machine()
	for _, p := range c.peers {
		if slices.ContainsFunc(c.results, func(r rowResult) bool { return p.inRow(r.row) }) {
			r.Servers = append(r.Servers, p.shown(ctx))
		}
	}
	for i := range c.results {
		one := &c.results[i]
		for _, p := range one.peers {
			if p.absent != "" && p.other != nil {
				why := strings.TrimPrefix(strings.ReplaceAll(p.absent, "\n", " "), peers.ErrOut.Error()+": ")
				r.Out = append(r.Out, fmt.Sprintf("%s (%s): %s", p.Name, one.Title, why))
			}
		}
		for _, g := range one.Goals {
			got := one.measured(g)
			r.Goals = append(r.Goals, []string{one.Title, string(g.metric), g.String(), got.String(),
				one.verdict(g, got)})
		}
	}
	for _, t := range layout.Table {
		if lines := t.lines(c.results); len(lines) > 0 {
			r.Tables = append(r.Tables, shownTable{t.Head, t.First, t.titles(), lines})
		}
	}
	c.remarks(&r)
	var text strings.Builder
	if err := results.Execute(&text, &r); err != nil {
		panic(err)
	}
	return text.String()
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
	case r.unsure() && !metrics[g.metric].Steady:
		return "unsure: others used the machine"
	case g.met(got.median):
		return "yes"
	}
	if g.metric == stall {
		if bare := spreadOf(bareStall.all(r.ours().rounds)).median; got.median <= atFloor*bare {
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
func (c *comparer) remarks(r *report) {
	var bound []string
	var others []float64
	for _, one := range c.results {
		for _, p := range one.peers {
			if slices.ContainsFunc(p.rounds, (*load.Result).GeneratorBound) {
				bound = append(bound, fmt.Sprintf("%s (%s)", p.Name, one.Title))
			}
			for _, res := range p.rounds {
				if others = append(others, res.OthersCPU); res.OthersCPU > r.Worst {
					r.Worst, r.Where = res.OthersCPU, " ("+one.Title+")"
				}
			}
		}
	}
	r.Bound, r.Middle = strings.Join(bound, "; "), spreadOf(others).median
	r.Busy = r.Middle > othersAllowed
}
