//go:build linux

package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// A goal is what beanfield must reach in a row.
type goal struct {
	metric  metric
	bound   float64
	atLeast bool // otherwise at most
	ratio   bool // otherwise the number itself
	of      string
}

// UnmarshalText reads "throughput >= 2 x bare loop".
func (g *goal) UnmarshalText(text []byte) error {
	name, rest, ok := strings.Cut(string(text), " <= ")
	if !ok {
		name, rest, g.atLeast = strings.Cut(string(text), " >= ")
	}
	bound, of, ratio := strings.Cut(rest, " x")
	var err error
	g.metric, g.ratio, g.of = metric(name), ratio, strings.TrimSpace(of)
	if g.bound, err = strconv.ParseFloat(bound, 64); err != nil || metrics[g.metric].Field == "" {
		return fmt.Errorf("goal %q: want METRIC <= BOUND, or >=, with x for a ratio", text)
	}
	return nil
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.bound
	}
	return v <= g.bound
}

func (g goal) String() string {
	word, unit := "at most", ""
	if g.atLeast {
		word = "at least"
	}
	switch {
	case g.of != "":
		unit = " x the " + g.of
	case g.ratio:
		unit = " x"
	}
	return fmt.Sprintf("%s %s%s", word, short(g.bound), unit)
}
