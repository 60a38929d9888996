package cells

import (
	"math/rand/v2"
	"testing"
)

func TestSlotsAreDistinct(t *testing.T) {
	for _, size := range []int{8, 9, 32, 63, 64, 65, 128, 157, 1000, 1024} {
		s := newSlots(size)
		seen := map[uint32]bool{}
		for range 5 * size {
			slot, fresh := s.take()
			if seen[slot] {
				t.Fatalf("slot %d is given to two", slot)
			}
			seen[slot] = true
			if first := slot&(1<<s.shift-1) == 0; fresh != first {
				t.Fatalf("slot %d: fresh is %v", slot, fresh)
			}
		}
		for chunk := range uint32(5) {
			for i := range uint32(size) {
				if slot := chunk<<s.shift | i; !seen[slot] {
					t.Fatalf("slot %d is left out of chunks of %d", slot, size)
				}
			}
		}
	}
}

// Memory of empty chunks is given back, but for one, and a slot's memory is
// there whenever the slot is in use.
func TestSlotsGiveChunksBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	const size = 13
	s := newSlots(size)
	shift := s.shift
	var in []uint32
	backed := map[uint32]bool{}
	for step := range 100000 {
		grow := step/2000%2 == 0
		if r := rnd.IntN(5); len(in) == 0 || (r > 0) == grow {
			slot, fresh := s.take()
			if fresh == backed[slot>>shift] {
				t.Fatalf("slot %d: fresh is %v", slot, fresh)
			}
			backed[slot>>shift] = true
			in = append(in, slot)
			continue
		}
		i := rnd.IntN(len(in))
		slot := in[i]
		in[i] = in[len(in)-1]
		in = in[:len(in)-1]
		if s.give(slot) {
			delete(backed, slot>>shift)
			for _, other := range in {
				if other>>shift == slot>>shift {
					t.Fatalf("the chunk of slot %d is dropped, slot %d is in it", slot, other)
				}
			}
		}
		empty := 0
		for ci := range backed {
			if s.chunks[ci].used == 0 {
				empty++
			}
		}
		if empty > 1 {
			t.Fatalf("%d empty chunks have memory", empty)
		}
	}
	if len(s.chunks) > 10000/size {
		t.Errorf("%d chunks: slots are not used again", len(s.chunks))
	}
}

// After a backlog has gone, in whatever order, a slot taken and given again
// and again needs no memory but, at most, the first time.
func TestSlotsStaySteady(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 6))
	for _, keep := range []int{0, 1, 20} {
		for range 50 {
			s := newSlots(16)
			var in []uint32
			for range 200 {
				slot, _ := s.take()
				in = append(in, slot)
			}
			rnd.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
			for _, slot := range in[keep:] {
				s.give(slot)
			}
			for cycle := range 10 {
				slot, fresh := s.take()
				if drop := s.give(slot); (fresh || drop) && cycle > 0 {
					t.Fatalf("with %d slots in use, cycle %d: fresh is %v, drop is %v", keep, cycle, fresh, drop)
				}
			}
		}
	}
}

func TestSlotGivenTwicePanics(t *testing.T) {
	s := newSlots(8)
	slot, _ := s.take()
	s.take()
	s.give(slot)
	defer func() {
		if recover() == nil {
			t.Error("giving a slot twice is a programmer's mistake")
		}
	}()
	s.give(slot)
}

type record struct{ id uint64 }

func TestSlab(t *testing.T) {
	s := NewSlab[record]()
	var slots []uint32
	for i := range 3*ChunkLen + 5 {
		slot := s.Alloc()
		if slot == 0 {
			t.Fatal("slot 0 means none")
		}
		if *s.At(slot) != (record{}) {
			t.Fatalf("slot %d is not empty", slot)
		}
		s.At(slot).id = uint64(i + 1)
		slots = append(slots, slot)
	}
	for i, slot := range slots {
		if s.At(slot).id != uint64(i+1) {
			t.Fatalf("slot %d has lost its value", slot)
		}
		s.Release(slot)
	}
	chunks := 0
	for _, c := range s.chunks {
		if c != nil {
			chunks++
		}
	}
	if chunks > 2 { // the one of slot 0 and a spare one
		t.Errorf("%d chunks are left", chunks)
	}
	for range 3 * ChunkLen {
		if slot := s.Alloc(); *s.At(slot) != (record{}) || slot == 0 {
			t.Fatalf("slot %d is not empty when used again", slot)
		}
	}
}

// Following finds the slots in use, and no others, chunk by chunk.
func TestFollowing(t *testing.T) {
	s := NewSlab[int]()
	used := map[uint32]bool{0: true}
	for range 3*ChunkLen + 70 {
		used[s.Alloc()] = true
	}
	for slot := uint32(1); slot < 3*ChunkLen; slot++ {
		if slot%7 != 0 || slot/ChunkLen == 1 {
			s.Release(slot)
			delete(used, slot)
		}
	}
	found := map[uint32]bool{}
	for at := uint32(0); at < uint32(s.Chunks())<<ChunkShift; {
		next := s.Following(at)
		if next < at || next > (at>>ChunkShift+1)<<ChunkShift {
			t.Fatalf("slot %d follows %d", next, at)
		}
		if at = next; used[next] {
			found[next] = true
			at++
		}
	}
	if len(found) != len(used) {
		t.Errorf("%d slots are found, want %d", len(found), len(used))
	}
}
