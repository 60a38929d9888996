//go:build linux

package compare

import (
	"encoding/xml"
	"fmt"
	"strings"

	"beanfield/tools/bench/measure"
)

// The chart shows every row relative to beanstalkd, which is the line at 1: rows differ
// a hundredfold in throughput, and only ratios can be seen side by side.
const (
	chartWidth  = 950
	chartLabel  = 140 // where the scale begins
	chartLength = 460
	chartBar    = 15
	chartGap    = 4
	chartHead   = 62
	chartRow    = 26 // a row's title
	chartAxis   = 46 // a section's title and its scale
)

// Colours that colour-blind readers can tell apart, on a light background and on a dark
// one. The reader's system says which; an image inherits nothing from its page. Text
// has an edge of the background's colour, so that it can be read across lines.
const chartStyle = `<style>
text{fill:#1f2328;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.ground{fill:#ffffff}.faint{fill:#59636e}.grid{stroke:#d8dee4}.one{stroke:#59636e;stroke-width:1.5}.range{stroke:#1f2328}
.c0{fill:#0072b2}.c1{fill:#a3a9b0}.c2{fill:#d9a400}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#d55e00}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3;stroke:#0d1117}.ground{fill:#0d1117}.faint{fill:#9198a1}.grid{stroke:#2f363d}.one{stroke:#9198a1}.range{stroke:#e6edf3}
.c0{fill:#3d9bdc}.c1{fill:#6e7681}}
</style>
`

const chartColours = 6

// A section is a group of rows that share a scale and a direction.
type section struct {
	title   string
	belongs func(*rowResult) bool
}

var sections = []section{
	{"Throughput, beanstalkd = 1 (logarithmic): more is better", func(r *rowResult) bool {
		return r.Own == nil && r.drawnBy() == throughput
	}},
	{"Memory and time, beanstalkd = 1: less is better", func(r *rowResult) bool {
		return r.Own == nil && r.drawnBy() != throughput
	}},
	{"Throughput, the same server without that load = 1: more is better", func(r *rowResult) bool {
		return r.Own != nil && r.drawnBy() == throughput
	}},
	{"Cost of a push, the same server's beanstalk protocol = 1: less is better", func(r *rowResult) bool {
		return r.Own != nil && r.drawnBy() != throughput
	}},
}

// drawnBy is the metric of a row that the chart shows: the first one with a goal.
func (r *rowResult) drawnBy() metric {
	if r.stalls() {
		return stall
	}
	switch {
	case len(r.Goals) > 0:
		return r.Goals[0].metric
	case r.Set == "peers":
		return r.shown()[0]
	}
	return throughput
}

// drawn are the peers of a row that get a bar: those that were measured, besides the
// one that all are compared with.
func (r *rowResult) drawn() []*peerResult {
	var peers []*peerResult
	for k := range r.peers {
		if p := &r.peers[k]; len(p.rounds) > 0 && (!p.baseline || r.Own != nil) {
			peers = append(peers, p)
		}
	}
	return peers
}

// A drawing is a chart that grows downwards.
type drawing struct {
	strings.Builder
	y      int
	colour map[string]int
	axis   axis
}

// chart draws a comparison as an SVG without anything from outside.
func (c *comparer) chart(date string) string {
	d := &drawing{y: chartHead, colour: map[string]int{beanfield: 0, bareLoop: 1, loggedLoop: 1}}
	for _, s := range sections {
		var rows []*rowResult
		for i := range c.results {
			if r := &c.results[i]; s.belongs(r) && !r.Alone {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			base := beanstalkd
			if rows[0].Set == "peers" {
				base = beanfield
			}
			d.section(strings.Replace(s.title, beanstalkd, base, 1), rows)
		}
	}
	height := d.y + 12
	machine, _ := measure.Machine()
	var b drawing
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" `+
		`font-family="sans-serif" font-size="12">`+"\n",
		chartWidth, height, chartWidth, height)
	b.WriteString("<title>beanfield beside its peers</title>\n" + chartStyle)
	fmt.Fprintf(&b, `<rect class="ground" width="%d" height="%d"/>`+"\n", chartWidth, height)
	b.text(12, 24, `font-size="17" font-weight="bold"`, "beanfield beside its peers")
	b.text(12, 44, `class="faint"`, fmt.Sprintf("%s · %s · medians of %s; a thin line from the smallest to the largest",
		date, machine, c.roundCount()))
	b.WriteString(d.String())
	b.WriteString("</svg>\n")
	return b.String()
}

// section draws a scale and the rows below it; the scale's lines come first, so that
// bars lie over them.
func (d *drawing) section(title string, rows []*rowResult) {
	var values []float64
	lines := 0
	for _, r := range rows {
		for _, p := range r.drawn() {
			s := r.against(r.drawnBy(), p)
			values = append(values, s.min, s.max)
		}
		lines += len(r.drawn())
	}
	d.axis = newAxis(values)
	d.text(12, d.y+16, `font-size="14" font-weight="bold"`, title)
	d.y += chartAxis
	bottom := d.y + len(rows)*chartRow + lines*(chartBar+chartGap)
	for _, v := range d.axis.ticks {
		d.rule("grid", v, d.y-8, bottom)
		d.text(int(d.x(v)), d.y-12, `class="faint" text-anchor="middle" font-size="11"`, tick(v))
	}
	d.rule("one", 1, d.y-8, bottom)
	for _, r := range rows {
		d.row(r)
	}
	d.y = bottom + 14
}

func tick(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.4g", v), ".0") }

func (d *drawing) x(v float64) float64 { return chartLabel + d.axis.at(v)*chartLength }

// row draws a row's title, with what the baseline did, and a bar for each peer.
func (d *drawing) row(r *rowResult) {
	m := r.drawnBy()
	title := r.Title
	if m != throughput {
		title += ": " + string(m)
	}
	if base := r.baseline(); base != nil && len(base.rounds) > 0 && r.Own == nil {
		title += fmt.Sprintf(" · %s %s", base.Name, m.show(spreadOf(m.all(base.rounds)).median))
	}
	d.text(12, d.y+17, `font-weight="bold"`, title)
	d.y += chartRow
	for _, p := range r.drawn() {
		d.text(chartLabel-8, d.y+12, `text-anchor="end"`, p.Name)
		label, right := m.show(spreadOf(m.all(p.rounds)).median), d.x(1)
		if s := r.against(m, p); s.known() {
			d.bar(d.class(p.Name), s)
			label = "× " + s.String() + " · " + label
			right = max(right, d.x(s.max))
		}
		d.text(int(right)+8, d.y+12, "", label)
		d.y += chartBar + chartGap
	}
}

// bar draws the median as a bar, and a thin line from the smallest to the largest.
func (d *drawing) bar(class string, s spread) {
	from, to := d.x(1), d.x(s.median)
	fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", class, min(from, to), d.y,
		max(from, to)-min(from, to), chartBar)
	if s.min < s.max {
		fmt.Fprintf(d, `<line class="range" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+"\n", d.x(s.min), d.x(s.max),
			d.y+chartBar/2, d.y+chartBar/2)
	}
}

func (d *drawing) rule(class string, v float64, top, bottom int) {
	fmt.Fprintf(d, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+"\n", class, d.x(v), d.x(v), top, bottom)
}

// class is a peer's colour, the same in every row.
func (d *drawing) class(name string) string {
	if _, ok := d.colour[name]; !ok {
		d.colour[name] = len(d.colour)
	}
	return fmt.Sprintf("c%d", d.colour[name]%chartColours)
}

func (d *drawing) text(x, y int, attributes, s string) {
	fmt.Fprintf(d, `<text x="%d" y="%d" %s>`, x, y, attributes)
	_ = xml.EscapeText(d, []byte(s)) // a strings.Builder never fails
	d.WriteString("</text>\n")
}
