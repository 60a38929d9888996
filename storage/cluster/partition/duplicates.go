package partition

import (
	"cmp"
	"slices"
)

// Duplicate says which of two processes that are one node has to go.
type Duplicate struct {
	Name    string `json:"name"`
	Younger uint64 `json:"younger"` // its life
}

// returned is how often an old life of a node comes back until that means two processes. A process that is
// started again has a new life each time, however often that happens; one old life may come back in a message
// that was late, and the new one behind it.
const returned = 3

// duplicates is what a node knows of nodes that two processes are at once.
type duplicates struct {
	node    string
	life    uint64
	ran     int // ticks
	since   uint64
	heard   map[string]*lives
	younger bool // this process is, and another one has been this node for longer
}

// lives are those of the processes that say that they are one node.
type lives struct {
	last, other life
	returns     int
	quiet       int // ticks since the last return
}

type life struct {
	number uint64 // 0: none, or not known
	ran    int
	since  uint64
}

// youngerOf is the one that has to go: one that was replaced, or else the younger.
func youngerOf(a, b life) life {
	return slices.MinFunc([]life{a, b}, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.ran, b.ran), cmp.Compare(a.number, b.number))
	})
}

func (t *duplicates) tick() {
	t.ran++
	for _, l := range t.heard {
		if l.quiet++; l.quiet > Silent {
			l.returns = 0
		}
	}
}

// hear takes a presence. A stranger that has this node's name returns with each one but its first: this process
// goes on in between.
func (t *duplicates) hear(k Presence) {
	if k.Life == 0 || k.Life == t.life {
		return // an older program; or itself
	}
	for _, duplicate := range k.Duplicates {
		// the other process of this name may be an older program, which knows of no replacing: others judge, and itself
		t.younger = t.younger || k.From != t.node && duplicate == Duplicate{t.node, t.life}
	}
	l := t.heard[k.From]
	if l == nil {
		l = &lives{}
		t.heard[k.From] = l
	}
	if k.From == t.node {
		l.other, l.last = l.last, life{t.life, t.ran, t.since}
	}
	now := life{k.Life, k.Ran, k.Since}
	if now.number != l.last.number {
		if now.number == l.other.number {
			l.returns++
			l.quiet = 0
		}
		l.other = l.last
	}
	l.last = now
	if k.From == t.node && l.returns >= returned {
		t.younger = t.younger || youngerOf(l.last, l.other).number == t.life
	}
}

// known are those of other nodes.
func (t *duplicates) known() (all []Duplicate) {
	for name, l := range t.heard {
		if l.returns >= returned {
			all = append(all, Duplicate{name, youngerOf(l.last, l.other).number})
		}
	}
	slices.SortFunc(all, func(a, b Duplicate) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
