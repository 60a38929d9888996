package router

import "sync/atomic"

// directory allots ids and remembers which shard each living id belongs to.
//
// It is a tree of fixed depth over the ids, without locks. What makes that
// simple is that an id begins once and ends once: a page counts down the ids
// that have not ended yet, so at zero nobody can need it again, now or later,
// and the goroutine that brings it to zero unhooks it. A page that lives on for one
// old job costs a cache line and a few words.
type directory struct {
	last atomic.Uint64
	_    [56]byte // every put writes last; keep readers of the root off its line
	root node
}

const (
	leafBits = 6
	nodeBits = 10
	levels   = 5 // of nodes: 6 + 5*10 bits are more than the 53 an id may have
)

// spread swaps two groups of bits, so that neighbours among the ids stand in
// different leaves: otherwise processors that work on the latest jobs would all
// write to one cache line. It is its own inverse, and the last id of a leaf
// or node stays the last.
func spread(id uint64) uint64 {
	x := (id ^ id>>leafBits) & (stripes - 1)
	return id ^ x ^ x<<leafBits
}

// stripes is how many neighbouring leaves are mixed.
const stripes = 16

type leaf struct {
	left  atomic.Int32 // ids that have not ended
	owner [1 << leafBits / 4]atomic.Uint32
}

// node has children or, on the lowest level, leaves.
type node struct {
	left   atomic.Int32 // children that have not ended
	kids   []atomic.Pointer[node]
	leaves []atomic.Pointer[leaf]
}

func newNode(level int) *node {
	n := new(node)
	n.init(level)
	return n
}

func (n *node) init(level int) {
	n.left.Store(1 << nodeBits)
	if level == 0 {
		n.leaves = make([]atomic.Pointer[leaf], 1<<nodeBits)
	} else {
		n.kids = make([]atomic.Pointer[node], 1<<nodeBits)
	}
}

func newLeaf() *leaf {
	l := new(leaf)
	l.left.Store(1 << leafBits)
	return l
}

func (d *directory) init() {
	d.root.init(levels - 1)
	d.leafOf(0, nil).left.Add(-1) // there is no id 0
}

// at says which child of a node on the given level leads to id.
func at(id uint64, level int) uint64 {
	return id >> (leafBits + nodeBits*level) & (1<<nodeBits - 1)
}

// leafOf finds or makes the leaf of an id that has not ended; the id is spread.
// It notes the nodes on the way in path, if that is not nil.
func (d *directory) leafOf(id uint64, path *[levels]*node) *leaf {
	n := &d.root
	for level := levels - 1; ; level-- {
		if path != nil {
			path[level] = n
		}
		if level == 0 {
			break
		}
		slot := &n.kids[at(id, level)]
		kid := slot.Load()
		if kid == nil {
			slot.CompareAndSwap(nil, newNode(level-1))
			kid = slot.Load()
		}
		n = kid
	}
	slot := &n.leaves[at(id, 0)]
	l := slot.Load()
	if l == nil {
		slot.CompareAndSwap(nil, newLeaf())
		l = slot.Load()
	}
	return l
}

// begin allots the next id to a shard.
func (d *directory) begin(shard int) uint64 {
	id := d.last.Add(1)
	d.adopt(id, shard)
	return id
}

// find tells which shard owns a living id.
func (d *directory) find(id uint64) (shard int, ok bool) {
	if id>>(leafBits+nodeBits*levels) != 0 {
		return 0, false
	}
	id = spread(id)
	n := &d.root
	for level := levels - 1; level > 0; level-- {
		if n = n.kids[at(id, level)].Load(); n == nil {
			return 0, false
		}
	}
	l := n.leaves[at(id, 0)].Load()
	if l == nil {
		return 0, false
	}
	i := id & (1<<leafBits - 1)
	owner := l.owner[i/4].Load() >> (i % 4 * 8) & 0xff
	return int(owner) - 1, owner != 0
}

// end forgets an id for ever, and the pages that nobody needs after it.
func (d *directory) end(id uint64) {
	var path [levels]*node
	id = spread(id)
	l := d.leafOf(id, &path)
	i := id & (1<<leafBits - 1)
	l.owner[i/4].And(^(uint32(0xff) << (i % 4 * 8)))
	if l.left.Add(-1) > 0 {
		return
	}
	path[0].leaves[at(id, 0)].Store(nil)
	for level := 0; level < levels-1 && path[level].left.Add(-1) == 0; level++ {
		path[level+1].kids[at(id, level+1)].Store(nil)
	}
}

// adopt gives an id to a shard: one just allotted, or one that was allotted
// before this process. The latter belongs to the start, before begin is first
// called, and may be done by several goroutines.
func (d *directory) adopt(id uint64, shard int) {
	word, shift := d.entry(id)
	word.Or(uint32(shard+1) << shift)
}

// entry is where the shard of an id is written that has not ended.
func (d *directory) entry(id uint64) (word *atomic.Uint32, shift uint64) {
	id = spread(id)
	i := id & (1<<leafBits - 1)
	return &d.leafOf(id, nil).owner[i/4], i % 4 * 8
}

// hand gives a living id to another shard.
func (d *directory) hand(id uint64, shard int) {
	word, shift := d.entry(id)
	for {
		was := word.Load()
		if word.CompareAndSwap(was, was&^(0xff<<shift)|uint32(shard+1)<<shift) {
			return
		}
	}
}

// disown takes back what adopt did before seal.
func (d *directory) disown(id uint64) {
	word, shift := d.entry(id)
	word.And(^(uint32(0xff) << shift))
}

// seal ends the adoption: every id up to last has been allotted, and those
// that nobody has adopted have ended. It sets the countdowns accordingly.
func (d *directory) seal(last uint64) {
	d.last.Store(last)
	for i := range uint64(stripes) {
		d.leafOf(spread(last+1+i), nil) // the leaves in which allotting goes on are there
	}
	d.sealNode(&d.root, levels-1, 0, last)
}

// sealNode counts what is left below a node whose ids, spread, begin at first.
func (d *directory) sealNode(n *node, level int, first, last uint64) (left int32) {
	span := uint64(1) << (leafBits + nodeBits*level)
	for i := range uint64(1 << nodeBits) {
		from := first + i*span
		switch {
		case level == 0 && n.leaves[i].Load() != nil:
			if n.leaves[i].Load().seal(from, last) == 0 {
				n.leaves[i].Store(nil)
				continue
			}
		case level > 0 && n.kids[i].Load() != nil:
			if d.sealNode(n.kids[i].Load(), level-1, from, last) == 0 {
				n.kids[i].Store(nil)
				continue
			}
		case spread(from+span-1) <= last:
			continue // all of them have ended
		}
		left++
	}
	n.left.Store(left)
	return left
}

func (l *leaf) seal(first, last uint64) (left int32) {
	for i := range uint64(1 << leafBits) {
		if spread(first+i) > last || l.owner[i/4].Load()>>(i%4*8)&0xff != 0 {
			left++
		}
	}
	l.left.Store(left)
	return left
}
