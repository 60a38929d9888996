package compare

import (
	"fmt"

	"beanfield/tools/bench/result"
)

// A goal is what beanfield must reach in a row.
type goal struct {
	metric   metric
	bound    float64
	atLeast  bool   // otherwise at most
	absolute bool   // the number itself, not a ratio
	of       string // the peer that it is a ratio to; empty: beanstalkd
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.bound
	}
	return v <= g.bound
}

func (g goal) String() string {
	word, unit := "at most", " x"
	if g.atLeast {
		word = "at least"
	}
	switch {
	case g.absolute:
		unit = ""
	case g.of != "":
		unit = " x the " + g.of
	}
	return fmt.Sprintf("%s %s%s", word, result.Short(g.bound), unit)
}

func atLeast(m metric, bound float64) goal { return goal{metric: m, bound: bound, atLeast: true} }

func atMost(m metric, bound float64) goal { return goal{metric: m, bound: bound} }

// beside is the goal as one for the ratio to another peer than beanstalkd.
func beside(peer string, g goal) goal {
	g.of = peer
	return g
}

// numberAtLeast is a goal for the number itself, not for a ratio.
func numberAtLeast(m metric, least float64) goal {
	return goal{metric: m, bound: least, atLeast: true, absolute: true}
}

// number is a goal for the number itself, not for a ratio.
func number(m metric, most float64) goal { return goal{metric: m, bound: most, absolute: true} }
