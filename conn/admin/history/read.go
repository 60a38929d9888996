package history

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Point are the figures of a time, in the order of their constants. One that nobody knows is NaN.
type Point struct {
	At      int64 // milliseconds since 1970
	Figures []float32
}

// MarshalJSON implements json.Marshaler: the time, and then the figures, with null for one that nobody knows.
func (p Point) MarshalJSON() ([]byte, error) {
	text := strconv.AppendInt([]byte("["), p.At, 10)
	for _, v := range p.Figures {
		text = append(text, ',')
		if v := float64(v); math.IsNaN(v) {
			text = append(text, "null"...)
		} else {
			text = strconv.AppendFloat(text, math.Round(v*1000)/1000, 'f', -1, 64)
		}
	}
	return append(text, ']'), nil
}

// Total returns the figures of the whole server over a span that ends now, the oldest first.
// While the server was down there are none.
func (b *Charts) Total(span Span, now time.Time) []Point {
	if b == nil {
		return nil
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.read(b.total, span, now)
}

// Tube returns those of a tube, or reports false if it has no history.
func (b *Charts) Tube(name string, span Span, now time.Time) ([]Point, bool) {
	if b == nil {
		return nil, false
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	t := b.tubes[name]
	if t == nil {
		return nil, false
	}
	return b.read(t.series, span, now), true
}

// read leaves out what nobody knows anything of.
func (b *Charts) read(s *series, span Span, now time.Time) []Point {
	var list []Point
	last := now.Unix() / span.Step()
	for slot := last - int64(counts[span]) + 1; slot <= last; slot++ {
		place := span.place(max(0, slot))
		figures := s.at(place)
		if b.line[place] != slot || figures[Ready] != figures[Ready] {
			continue
		}
		p := Point{At: slot * span.Step() * 1000, Figures: slices.Clone(figures)}
		if span == Day { // a mean belongs to the middle of its slot
			p.At = min(p.At+span.Step()*500, now.UnixMilli())
		}
		list = append(list, p)
	}
	return list
}
