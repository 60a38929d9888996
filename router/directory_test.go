package router

import (
	"math/rand/v2"
	"sync"
	"testing"

	"beanfield/storage/effort"
)

// pages counts what a directory has in memory below its root.
func (d *directory) pages() (nodes, leaves int) {
	var walk func(n *node)
	walk = func(n *node) {
		for i := range n.kids {
			if kid := n.kids[i].Load(); kid != nil {
				nodes++
				walk(kid)
			}
		}
		for i := range n.leaves {
			if n.leaves[i].Load() != nil {
				leaves++
			}
		}
	}
	walk(&d.root)
	return nodes, leaves
}

func newDirectory() *directory {
	d := new(directory)
	d.init()
	return d
}

const (
	leafIDs  = 1 << leafBits
	blockIDs = leafIDs * stripes
	nodeIDs  = leafIDs << nodeBits // of a node on the lowest level
)

// Those who work on the latest ids do not all write to one leaf.
func TestNeighboursStandApart(t *testing.T) {
	d := newDirectory()
	leaves := map[*leaf]bool{}
	for range stripes {
		leaves[d.leafOf(spread(d.begin(1)), nil)] = true
	}
	if len(leaves) != stripes {
		t.Errorf("%d neighbours stand in %d leaves", stripes, len(leaves))
	}
	for id := range uint64(3 * blockIDs) {
		if spread(spread(id)) != id || spread(id)/blockIDs != id/blockIDs {
			t.Fatalf("%d is spread to %d, and that to %d", id, spread(id), spread(spread(id)))
		}
	}
}

func TestNodesGoToo(t *testing.T) {
	d := newDirectory()
	const count = 3*nodeIDs - 1 // three nodes of the lowest level, full
	nodes, _ := d.pages()
	for range count {
		d.begin(2)
	}
	if n, leaves := d.pages(); n != nodes+2 || leaves != 3<<nodeBits {
		t.Fatalf("%d nodes and %d leaves when full", n, leaves)
	}
	const survivor = nodeIDs + 12345
	for id := uint64(1); id <= count; id++ {
		if id != survivor {
			d.end(id)
		}
	}
	if n, leaves := d.pages(); n != nodes || leaves != 1 {
		t.Fatalf("%d nodes and %d leaves for one survivor, want %d and 1", n, leaves, nodes)
	}
	if shard, ok := d.find(survivor); !ok || shard != 2 {
		t.Fatalf("find(%d) = %d, %v", survivor, shard, ok)
	}
	d.end(survivor)
	if n, leaves := d.pages(); n != nodes-1 || leaves != 0 {
		t.Fatalf("%d nodes and %d leaves after the last id, want %d and 0", n, leaves, nodes-1)
	}
}

// Many goroutines begin, find and end ids at once, each ending others' too.
// At the end nothing may be left but the way to the next id.
func TestDirectoryConcurrently(t *testing.T) {
	d := newDirectory()
	nodes, _ := d.pages()
	const workers = 8
	each := 2 * nodeIDs / workers
	if effort.Brief() {
		each = nodeIDs / workers
	}
	handed := make(chan uint64, 1000)
	var beginners, enders sync.WaitGroup
	for w := range workers {
		beginners.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 1))
			var mine []uint64
			for range each {
				id := d.begin(w)
				mine = append(mine, id)
				i := rnd.IntN(len(mine))
				if shard, ok := d.find(mine[i]); !ok || shard != w {
					t.Errorf("find(%d) = %d, %v, want %d", mine[i], shard, ok, w)
					return
				}
				if rnd.IntN(3) > 0 {
					handed <- mine[i]
					mine[i] = mine[len(mine)-1]
					mine = mine[:len(mine)-1]
				}
			}
			for _, id := range mine {
				handed <- id
			}
		})
		enders.Go(func() {
			for id := range handed {
				if _, ok := d.find(id); !ok {
					t.Errorf("%d is not found before its end", id)
				}
				d.end(id)
				if _, ok := d.find(id); ok {
					t.Errorf("%d is found after its end", id)
				}
			}
		})
	}
	beginners.Wait()
	close(handed)
	enders.Wait()
	for d.last.Load()%nodeIDs != nodeIDs-1 {
		d.end(d.begin(0)) // fill the last node, so that it may go
	}
	if n, leaves := d.pages(); n != nodes-1 || leaves != 0 {
		t.Fatalf("%d nodes and %d leaves are left, want %d and 0", n, leaves, nodes-1)
	}
}

// mustFind compares what the directory finds with the ids that live.
func (d *directory) mustFind(t *testing.T, alive map[uint64]int) {
	t.Helper()
	look := func(id uint64) {
		want, lives := alive[id]
		if shard, ok := d.find(id); ok != lives || ok && shard != want {
			t.Fatalf("find(%d) = %d, %v, want %d, %v", id, shard, ok, want, lives)
		}
	}
	for id := range d.last.Load() + leafIDs {
		look(id)
	}
	for _, id := range []uint64{1 << 40, 1 << 53, 1<<56 - 1, 1 << 56, 1 | 1<<56, 1 | 1<<63, 1<<64 - 1} {
		look(id)
	}
}

// After a start, the first one too, the directory knows the living ids, goes on densely above
// the last, and forgets every page when its ids have ended: those of before, too. The end of
// one does not touch its neighbours.
func TestSealedDirectoryGoesOn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	lasts := []uint64{0, 1, 15, 16, 17, blockIDs - 2, blockIDs - 1, blockIDs, blockIDs + 1,
		nodeIDs - 5, nodeIDs - 1, nodeIDs, nodeIDs + 16, 2*nodeIDs + 777}
	for range 20 {
		lasts = append(lasts, rnd.Uint64N(nodeIDs+3*blockIDs))
	}
	for _, last := range lasts {
		d := newDirectory()
		nodes, _ := d.pages()
		alive := map[uint64]int{}
		for range rnd.IntN(200) {
			if last > 0 {
				alive[1+rnd.Uint64N(last)] = rnd.IntN(MaxShards)
			}
		}
		for id, shard := range alive {
			d.adopt(id, shard)
		}
		d.seal(last)
		for more := range uint64(2 * blockIDs) {
			shard := int(more % MaxShards)
			if id := d.begin(shard); id != last+1+more {
				t.Fatalf("after %d: id %d, want %d", last, id, last+1+more)
			}
			alive[last+1+more] = shard
		}
		d.mustFind(t, alive)
		for id := range alive {
			if id%2 == 0 {
				d.end(id)
				delete(alive, id)
			}
		}
		d.mustFind(t, alive)
		for id := range alive {
			d.end(id)
		}
		for d.last.Load()%nodeIDs != nodeIDs-1 {
			d.end(d.begin(0)) // fill the last node, so that it may go
		}
		if n, leaves := d.pages(); n != nodes-1 || leaves != 0 {
			t.Fatalf("after %d: %d nodes and %d leaves are left, want %d and 0", last, n, leaves, nodes-1)
		}
	}
}
