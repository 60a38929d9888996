package history

import (
	"cmp"
	"fmt"
	"slices"
)

// A stretch is a time in which a node has served for certain, or, if it is a single answer, at
// some moment of which it has served.
type stretch struct {
	conn     *Conn
	from, to Moment
	answer   bool
	words    string // of the answers that show it
}

// terms is FR7. Two certain times of two nodes may not overlap, and no answer of a node may lie
// within a certain time of another.
func terms(conns []*Conn) (found []Finding) {
	var all []stretch
	for _, c := range conns {
		if len(c.Answers) == 0 {
			continue
		}
		first, last := c.Answers[0], c.Answers[0]
		for _, s := range c.Answers {
			if s.Received < first.Received {
				first = s
			}
			if s.Sent > last.Sent {
				last = s
			}
			all = append(all, stretch{c, s.Sent, s.Received, true, s.Word})
		}
		if first.Received <= last.Sent {
			all = append(all, stretch{c, first.Received, last.Sent, false, first.Word + " to " + last.Word})
		}
	}
	slices.SortFunc(all, func(x, y stretch) int { return cmp.Compare(x.from, y.from) })
	widest := map[string]stretch{} // by node: the certain time that lasts longest of those begun so far
	for _, s := range all {
		for node, w := range widest {
			if node != s.conn.Node && (s.answer && s.to <= w.to || !s.answer && s.from <= w.to) {
				found = append(found, Finding{"FR7", fmt.Sprintf("node %s served connection %d from %.4f to %.4f (%s), and node %s connection %d between %.4f and %.4f (%s)",
					node, w.conn.ID, w.from.Seconds(), w.to.Seconds(), w.words, s.conn.Node, s.conn.ID,
					s.from.Seconds(), s.to.Seconds(), s.words)})
			}
		}
		if w, ok := widest[s.conn.Node]; !s.answer && (!ok || s.to > w.to) {
			widest[s.conn.Node] = s
		}
	}
	return found
}
