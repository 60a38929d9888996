package history

import "math"

// Span is how far back somebody looks.
type Span int

const (
	Hour  Span = iota // an hour, a point for each 10 s
	Day               // a day, a point for each 5 minutes
	spans             // how many there are
)

// steps are the seconds of a point, by span, and counts are how many points there are.
var (
	steps  = [spans]int64{10, 300}
	counts = [spans]int{360, 288}
)

// slots is how many points a series has.
const slots = 360 + 288

// Step is the time of a point, in seconds.
func (s Span) Step() int64 { return steps[s] }

// Seconds is how long the span is.
func (s Span) Seconds() int64 { return steps[s] * int64(counts[s]) }

// place is where the points of a slot are in a series: slots are numbered from 1970 on.
func (s Span) place(slot int64) int {
	at := int(slot % int64(counts[s]))
	if s == Day {
		at += counts[Hour]
	}
	return at
}

// timeline says which slots the points of all series belong to. All series have the same one,
// since all are written at each sample (HI2).
type timeline [slots]int64 // 0: nothing has been written here

// enter begins the slots of a time. It calls forget with each place that belonged to other
// slots until now. What claims to be later than now is forgotten too: the clock was wrong then,
// or is wrong now, and nobody can say where the points belong.
func (t *timeline) enter(unix int64, forget func(place int)) (place [spans]int) {
	for s := range spans {
		slot := unix / steps[s]
		at := s.place(slot)
		place[s] = at
		for i := range counts[s] {
			k := s.place(int64(i))
			if t[k] > slot || k == at && t[k] != slot {
				t[k] = 0
				forget(k)
			}
		}
		t[at] = slot
	}
	return place
}

// none is a figure that nobody knows.
var none = float32(math.NaN())

// series are the figures of one tube, or the totals: so many at each place.
type series struct {
	keys   int
	points []float32
	// sums and parts make the means of the day's slot under way, by key.
	sums  []float64
	parts []int
	slot  int64
}

func newSeries(keys int) *series {
	s := &series{keys: keys, points: make([]float32, slots*keys), sums: make([]float64, keys), parts: make([]int, keys)}
	for i := range s.points {
		s.points[i] = none
	}
	return s
}

func (s *series) at(place int) []float32 { return s.points[place*s.keys : (place+1)*s.keys] }

func (s *series) forget(place int) {
	for i := range s.at(place) {
		s.at(place)[i] = none
	}
}

// write notes figures: as they are for the hour, and as the mean of a slot for the day.
func (s *series) write(places [spans]int, slot int64, figures []float32) {
	copy(s.at(places[Hour]), figures)
	if s.slot != slot {
		s.slot = slot
		clear(s.sums)
		clear(s.parts)
	}
	day := s.at(places[Day])
	for i, v := range figures {
		if v == v { // it is known
			s.sums[i] += float64(v)
			s.parts[i]++
			day[i] = float32(s.sums[i] / float64(s.parts[i]))
		}
	}
}
