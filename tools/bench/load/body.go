package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A BodySize is one size, or a range from which sizes are drawn so that each
// doubling is equally likely: many small jobs, a few large ones.
type BodySize struct{ Min, Max int }

// Sizes are those from min to max; the same twice is one size.
func Sizes(min, max int) BodySize { return BodySize{min, max} }

func (b BodySize) String() string {
	if b.Min == b.Max {
		return strconv.Itoa(b.Min)
	}
	return fmt.Sprintf("%d-%d", b.Min, b.Max)
}

// Set reads "100" or "10-65535".
func (b *BodySize) Set(s string) error {
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	var err error
	if b.Min, err = strconv.Atoi(low); err != nil {
		return err
	}
	if b.Max, err = strconv.Atoi(high); err != nil {
		return err
	}
	if b.Min < 0 || b.Max < b.Min || b.Max > 1<<26 {
		return fmt.Errorf("want SIZE or MIN-MAX bytes, at most %d", 1<<26)
	}
	return nil
}

func (b BodySize) Draw(r *rand.Rand) int {
	low, high := math.Log(float64(max(b.Min, 1))), math.Log(float64(b.Max+1))
	n := int(math.Exp(low + r.Float64()*(high-low)))
	return min(max(n, b.Min), b.Max)
}

// MarshalText shows the size in JSON the way the flag takes it.
func (b BodySize) MarshalText() ([]byte, error) { return []byte(b.String()), nil }
