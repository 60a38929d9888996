package policy

import "testing"

// The rest of a division stays far below what anybody can count, whatever the weight.
func TestPriceOfWeights(t *testing.T) {
	for _, w := range []int{1, 2, 3, 7, 11, 13, 16, 17, 99, 997, 999_983, MostWeight} {
		price := Price(w)
		if rest := Worth - price*uint64(w); w <= 16 && rest != 0 || float64(rest)/Worth > 2e-6 {
			t.Errorf("weight %d costs %d, which leaves %d", w, price, rest)
		}
	}
}

// still is a clock that stands.
type still struct{}

func (still) Read() uint64   { return 0 }
func (still) Advance(uint64) {}

// A tag from so long ago that the clock has gone round since does not count.
func TestTagsOfLongAgo(t *testing.T) {
	x := &FairScheduler{Clock: still{}, shares: map[string]share{"a": {5 * Worth, true}, "b": {Worth / 2, true}}}
	if got := x.Tag("a"); got != 0 {
		t.Errorf("the tag is %d", got)
	}
	if got := x.Tag("b"); got != Worth/2 {
		t.Errorf("what a tube has had just now counts as %d", got)
	}
}
