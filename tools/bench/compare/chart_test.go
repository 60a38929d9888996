//go:build linux

package compare

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"beanfield/tools/bench/load"
)

// A mark is an element of a drawn chart with its attributes and its text.
type mark struct {
	kind, text string
	attribute  map[string]string
}

func (m *mark) number(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(m.attribute[name], 64)
	if err != nil {
		t.Fatalf("%s of %+v: %v", name, m, err)
	}
	return v
}

func marksOf(t *testing.T, svg string) []*mark {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = true
	var marks []*mark
	for {
		token, err := d.Token()
		if err == io.EOF {
			return marks
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			m := &mark{kind: e.Name.Local, attribute: map[string]string{"xmlns": e.Name.Space}}
			for _, a := range e.Attr {
				m.attribute[a.Name.Local] = a.Value
			}
			marks = append(marks, m)
		case xml.CharData:
			if len(marks) > 0 {
				marks[len(marks)-1].text += string(e)
			}
		}
	}
}

// everyRow is a comparison of all rows, with numbers as wide as they may get.
func everyRow() *comparer {
	c := &comparer{rounds: 3}
	for i := range rows {
		res := rowResult{row: &rows[i]}
		for k, name := range []string{beanfield, beanstalkd, bareLoop} {
			p := of(name)
			for round := range 3 {
				f := math.Pow(30, float64((i+k)%3-1)) * (1 + 0.01*float64(round))
				one := result(456789.1*f, 5*f, 2000*f)
				one.Server.BytesEach, one.Load = 4567*f, rows[i].Load
				bytes := int64(6.5e9 * f)
				one.Recovery = &load.Recovery{Jobs: 1, StartSec: f, RecoverySec: 22.6 * f, LoadedPeak: bytes,
					RecoveredPeak: bytes}
				one.Stall = &load.Stall{Disturbed: load.Latency{Max: 987 * f}}
				p.rounds = append(p.rounds, one)
				if rows[i].Own != nil {
					p.own = append(p.own, result(456789, 5, 2000))
				}
			}
			if rows[i].Own == nil || k != 1 {
				res.peers = append(res.peers, p)
			}
		}
		c.results = append(c.results, res)
	}
	return c
}

// Every peer that has a baseline beside it has a bar; a row without a baseline is not in the chart.
func TestChartIsWellFormed(t *testing.T) {
	alone := 0
	for _, r := range rows {
		if r.Alone {
			alone++
		}
	}
	for name, test := range map[string]struct {
		c    *comparer
		bars int
	}{"made up": {made(), 8}, "empty": {&comparer{}, 0}, "all": {everyRow(), 2 * (len(rows) - alone)}} {
		marks := marksOf(t, test.c.chart(""))
		count := map[string]int{}
		for _, m := range marks {
			count[m.kind]++
		}
		if root := marks[0]; root.kind != "svg" || root.attribute["xmlns"] != "http://www.w3.org/2000/svg" {
			t.Errorf("%s: the root is %+v", name, root)
		}
		if bars := count["rect"] - 1; bars != test.bars || count["title"] != 1 || count["text"] < 2 {
			t.Errorf("%s: %d bars, want %d; %v", name, bars, test.bars, count)
		}
	}
}

// Bars are drawn where the scale has their ratio, from 1 on; labels say the ratio.
func TestChartShowsRatios(t *testing.T) {
	tells(t, made().chart(""),
		">× 2.75 (2.50–3.00) · 400 ops/s<", ">× 1.50 · 150 ops/s<",
		">reached &amp; &lt;more&gt; · beanstalkd 150 ops/s<",
		">42.0 bytes<", "prefers-color-scheme:dark",
	)
	a := newAxis([]float64{0.05, 60})
	if a.low != 0.01 || a.high != 100 {
		t.Errorf("%+v", a)
	}
	if half, twice := a.at(1)-a.at(0.5), a.at(2)-a.at(1); math.Abs(half-twice) > 1e-9 || half <= 0 {
		t.Errorf("half is %v long, twice %v", half, twice)
	}
}

func TestAxisHoldsWhatItShows(t *testing.T) {
	for _, values := range [][]float64{
		nil, {1}, {0.99, 1.01}, {0.001}, {1000}, {1e-6, 1e6}, {7.9}, {8}, {8.1}, {0, math.NaN(), math.Inf(1), 2},
	} {
		a := newAxis(values)
		for _, v := range append(values, 1) {
			if v > 0 && !math.IsInf(v, 0) && (a.at(v) < 0 || a.at(v) > 1.000001) {
				t.Errorf("%v: %v lies at %v of %+v", values, v, a.at(v), a)
			}
		}
		if len(a.ticks) < 2 || len(a.ticks) > 14 {
			t.Errorf("%v: ticks %v", values, a.ticks)
		}
		for _, v := range a.ticks {
			if at := a.at(v); at < -1e-6 || at > 1.000001 {
				t.Errorf("%v: tick %v lies at %v", values, v, at)
			}
		}
	}
}

// No text may lie over another or leave the picture, with the widest letters that a
// sans-serif font has on average.
func TestChartTextDoesNotOverlap(t *testing.T) {
	for name, c := range map[string]*comparer{"made up": made(), "all": everyRow()} {
		type box struct {
			left, right, top, bottom float64
			text                     string
		}
		var boxes []box
		marks := marksOf(t, c.chart("2001-02-03"))
		for _, m := range marks {
			if m.kind != "text" {
				continue
			}
			size, letter := 12.0, 0.54
			if m.attribute["font-size"] != "" {
				size = m.number(t, "font-size")
			}
			if m.attribute["font-weight"] == "bold" {
				letter = 0.6
			}
			text := strings.TrimSpace(m.text)
			x, y, width := m.number(t, "x"), m.number(t, "y"), size*letter*float64(utf8.RuneCountInString(text))
			switch m.attribute["text-anchor"] {
			case "middle":
				x -= width / 2
			case "end":
				x -= width
			}
			boxes = append(boxes, box{x, x + width, y - 0.8*size, y + 0.25*size, text})
		}
		width, height := marks[0].number(t, "width"), marks[0].number(t, "height")
		for i, b := range boxes {
			if b.left < 0 || b.right > width || b.top < 0 || b.bottom > height {
				t.Errorf("%s: outside: %+v", name, b)
			}
			for _, o := range boxes[:i] {
				if b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom {
					t.Errorf("%s: %+v lies over %+v", name, b, o)
				}
			}
		}
		if got := fmt.Sprint(width, " ", height); marks[0].attribute["viewBox"] != "0 0 "+got {
			t.Errorf("%s: viewBox %q, size %s", name, marks[0].attribute["viewBox"], got)
		}
	}
}
