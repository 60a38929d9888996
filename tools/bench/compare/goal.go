package compare

import (
	"fmt"

	"beanfield/tools/bench/result"
)

// A goal is what beanfield must reach in a row.
type goal struct {
	metric   metric
	bound    float64
	atLeast  bool // otherwise at most
	absolute bool // the number itself, not a ratio
	bare     bool // a ratio to the bare loop with a log, not to beanstalkd
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
	case g.bare:
		unit = " x the bare loop"
	}
	return fmt.Sprintf("%s %s%s", word, result.Short(g.bound), unit)
}

func atLeast(m metric, bound float64) goal { return goal{metric: m, bound: bound, atLeast: true} }

func atMost(m metric, bound float64) goal { return goal{metric: m, bound: bound} }

// ofBare is the goal as one for the ratio to the bare loop with a log.
func ofBare(g goal) goal {
	g.bare = true
	return g
}

// numberAtLeast is a goal for the number itself, not for a ratio.
func numberAtLeast(m metric, least float64) goal {
	return goal{metric: m, bound: least, atLeast: true, absolute: true}
}

// number is a goal for the number itself, not for a ratio.
func number(m metric, most float64) goal { return goal{metric: m, bound: most, absolute: true} }
