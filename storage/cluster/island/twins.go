package island

import (
	"cmp"
	"slices"
)

// Twin says which of two processes that are one node has not been there for as long as the other one.
type Twin struct {
	Name    string `json:"name"`
	Younger uint64 `json:"younger"` // its life
}

// changed is how often the life of a node changes until that means two processes. Once is a restart.
const changed = 3

// twins is what a node knows of nodes that two processes are at once.
type twins struct {
	node    string
	life    uint64
	ran     int // ticks
	heard   map[string]*lives
	younger bool // this process is, and another one has been this node for longer
}

// lives are those of the processes that say that they are one node.
type lives struct {
	last, other life
	changes     int
	quiet       int // ticks since the last change
}

type life struct {
	number uint64 // 0: none, or not known
	ran    int
}

func youngerOf(a, b life) life {
	return slices.MinFunc([]life{a, b}, func(a, b life) int { return cmp.Or(cmp.Compare(a.ran, b.ran), cmp.Compare(a.number, b.number)) })
}

func (t *twins) tick() {
	t.ran++
	for _, l := range t.heard {
		if l.quiet++; l.quiet > Silent {
			l.changes = 0
		}
	}
}

// hear takes a knock. Each one of a stranger that has this node's name is a change: this process goes on.
func (t *twins) hear(k Knock) {
	if k.Life == 0 || k.Life == t.life {
		return // an older program; or itself
	}
	for _, twin := range k.Twins {
		t.younger = t.younger || twin == Twin{t.node, t.life}
	}
	l := t.heard[k.From]
	if l == nil {
		l = &lives{}
		t.heard[k.From] = l
	}
	now := life{k.Life, k.Ran}
	switch {
	case k.From == t.node:
		l.last = life{t.life, t.ran}
		fallthrough
	case l.last.number != 0 && l.last.number != now.number:
		l.other = l.last
		l.changes++
		l.quiet = 0
	}
	l.last = now
	if k.From == t.node && l.changes >= changed {
		t.younger = t.younger || youngerOf(l.last, l.other).number == t.life
	}
}

// known are those of other nodes.
func (t *twins) known() (all []Twin) {
	for name, l := range t.heard {
		if l.changes >= changed {
			all = append(all, Twin{name, youngerOf(l.last, l.other).number})
		}
	}
	slices.SortFunc(all, func(a, b Twin) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
