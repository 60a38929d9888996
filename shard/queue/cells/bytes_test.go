package cells

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func pattern(size, seed int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7 + seed*13 + size)
	}
	return b
}

// Bodies of every size come back whole, as one piece or from parts, and leave
// their neighbours alone.
func TestBodies(t *testing.T) {
	const most = 4100
	b := NewBytes()
	refs := make([][3]uint32, most+1)
	for size := range most + 1 {
		for k := range 2 {
			refs[size][k] = b.Add(pattern(size, k), nil, size)
		}
		whole := pattern(size, 2)
		cut := size / 3
		parts := [][]byte{whole[:cut], whole[cut : 2*cut], whole[2*cut:]}
		refs[size][2] = b.Add(nil, parts, size)
	}
	check := func(size, k int) {
		t.Helper()
		small, large := b.Get(refs[size][k], uint32(size))
		if len(small) > 0 && len(large) > 0 || size > SmallMost && len(small) > 0 {
			t.Fatalf("size %d: small and large", size)
		}
		if got := append(append([]byte{}, small...), bytes.Join(large, nil)...); !bytes.Equal(got, pattern(size, k)) {
			t.Fatalf("size %d body %d is damaged", size, k)
		}
	}
	for size := range most + 1 {
		for k := range 3 {
			check(size, k)
		}
	}
	for size := range most + 1 {
		b.Drop(refs[size][1], uint32(size))
	}
	for size := range most + 1 {
		check(size, 0)
		check(size, 2)
		refs[size][1] = b.Add(pattern(size, 1), nil, size)
	}
	for size := range most + 1 {
		for k := range 3 {
			check(size, k)
			b.Drop(refs[size][k], uint32(size))
		}
	}
	if small, large := b.Used(); small+large > 0 {
		t.Errorf("%d small bodies are left, and %d large ones", small, large)
	}
	for _, p := range b.parts {
		if p != nil {
			t.Error("a large body that has ended is still held")
		}
	}
}

// The body that is given is a view of one cell and cannot grow into the next.
func TestBodyViewEndsAtItsCell(t *testing.T) {
	b := NewBytes()
	first := b.Add([]byte("12345678"), nil, 8)
	second := b.Add([]byte("abcdefgh"), nil, 8)
	small, _ := b.Get(first, 8)
	_ = append(small, "!!!!"...)
	if small, _ = b.Get(second, 8); string(small) != "abcdefgh" {
		t.Errorf("the neighbour is %q now", small)
	}
}

func TestBodyClasses(t *testing.T) {
	for size := 1; size <= SmallMost; size++ {
		cell := cellSizes[classOf[(size+7)/8]]
		if cell < size {
			t.Fatalf("a body of %d in a cell of %d", size, cell)
		}
		if waste := cell - size; size <= 128 && waste > 7 || size > 128 && waste*8 > cell {
			t.Errorf("a body of %d in a cell of %d wastes more than an eighth", size, cell)
		}
	}
	for _, size := range cellSizes {
		c := newByteSlab(size)
		if waste := cellChunk - int(c.slots.size)*size; waste < 0 || waste >= size {
			t.Errorf("cells of %d leave %d bytes of a chunk", size, waste)
		}
	}
}

// Memory follows a load that comes and goes.
func TestBodiesGiveMemoryBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	b := NewBytes()
	for range 3 {
		var refs, sizes []uint32
		for range 20000 {
			size := uint32(rnd.IntN(300) + 1)
			refs = append(refs, b.Add(pattern(int(size), 0), nil, int(size)))
			sizes = append(sizes, size)
		}
		rnd.Shuffle(len(refs), func(i, k int) {
			refs[i], refs[k], sizes[i], sizes[k] = refs[k], refs[i], sizes[k], sizes[i]
		})
		for i := range refs {
			b.Drop(refs[i], sizes[i])
		}
		for i := range b.classes {
			held := 0
			for _, m := range b.classes[i].memory {
				if m != nil {
					held++
				}
			}
			if held > 1 {
				t.Fatalf("class %d holds %d chunks for no body", i, held)
			}
		}
	}
}
