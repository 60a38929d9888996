package main

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The chart is drawn row by row, and every row has a scale of its own: throughputs of
// the rows differ by a hundred, and only the servers of one row are to be compared.
const (
	chartWidth  = 860
	chartLabel  = 130 // where bars begin
	chartBar    = 16
	chartGap    = 5
	chartHead   = 58
	chartTitle  = 30 // above each row's bars
	chartLength = 480
)

// The colours stay apart for colour-blind readers, and on light and dark grounds.
var chartColours = []string{"#0072b2", "#9a9a9a", "#d9a400", "#009e73", "#cc79a7", "#d55e00"}

// chart draws throughput, or memory where a row measures that, as an SVG.
func (c *comparison) chart() string {
	colour := map[string]string{}
	var bars strings.Builder
	y := chartHead
	for i := range c.Rows {
		y = c.Rows[i].draw(&bars, y, colour)
	}
	y += 24
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		chartWidth, y, chartWidth, y)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", chartWidth, y)
	text(&b, 12, 24, `font-size="17" font-weight="bold"`, "beanfield beside its peers")
	text(&b, 12, 42, `fill="#555555"`, fmt.Sprintf("%s · %s · each load has its own scale; medians of %d rounds", c.Date, c.Machine.short(), c.Rounds))
	b.WriteString(bars.String())
	b.WriteString("</svg>\n")
	return b.String()
}

func (m machine) short() string { return fmt.Sprintf("%s, %d cores", m.CPU, m.Cores) }

// draw adds a row's bars from y downwards and tells where they end.
func (r *rowResult) draw(b *strings.Builder, y int, colour map[string]string) int {
	m, unit, title := metricThroughput, "ops/s", r.Title
	if len(r.Peers) > 0 && len(r.Peers[0].Rounds) > 0 && r.Peers[0].Rounds[0].Server.BytesEach != 0 {
		m, unit, title = metricBytes, "bytes each", r.Title+" (less is better)"
	}
	longest := 0.0
	for _, p := range r.Peers {
		longest = max(longest, spreadOf(m.all(p.Rounds)).Max)
	}
	text(b, 12, y+20, `font-weight="bold"`, title)
	y += chartTitle
	for k := range r.Peers {
		p := &r.Peers[k]
		if colour[p.Name] == "" {
			colour[p.Name] = chartColours[len(colour)%len(chartColours)]
		}
		s := spreadOf(m.all(p.Rounds))
		if !s.known() || longest <= 0 {
			continue
		}
		at := func(v float64) float64 { return chartLabel + v/longest*chartLength }
		text(b, chartLabel-8, y+12, `text-anchor="end"`, p.Name)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", chartLabel, y, at(s.Median)-chartLabel, chartBar, colour[p.Name])
		// A thin line from the smallest round to the largest.
		fmt.Fprintf(b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#222222"/>`+"\n", at(s.Min), at(s.Max), y+chartBar/2, y+chartBar/2)
		label := fmt.Sprintf("%s %s", short(s.Median), unit)
		if q := ratio(m, p, r.baseline()); q.known() && !p.peer.baseline {
			label += fmt.Sprintf(", %s × beanstalkd", short(q.Median))
		}
		text(b, int(at(s.Max))+8, y+12, "", label)
		y += chartBar + chartGap
	}
	return y
}

func text(b *strings.Builder, x, y int, attributes, s string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" %s>`, x, y, attributes)
	_ = xml.EscapeText(b, []byte(s)) // a strings.Builder never fails
	b.WriteString("</text>\n")
}
