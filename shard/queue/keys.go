package queue

import (
	"crypto/sha256"
	"encoding/binary"

	"beanfield/shard/queue/cells"
)

// hash stands for a key in its tube: the first 128 bits of a SHA-256 of both. Nobody compares the keys
// themselves: with ten million of them, two different ones have one hash with a probability of
// 1 : 10^25. To find a key with the hash of another client's takes 2^128 attempts, and of two
// keys that one client has found with much work, both are his own. The hash of a key that outlives
// its job is on disk, so what is hashed must not change.
type hash [hashLen / 4]uint32

const hashLen = 16

// What is hashed: keys, and the names of puts.
const (
	ofKey  = 'k'
	ofOnce = 'o'
)

func (s *State) hashOf(what byte, tube string, key []byte) (h hash) {
	x := s.needExtras()
	b := append(x.keys.scratch[:0], what)
	b = append(binary.AppendUvarint(b, uint64(len(tube))), tube...)
	b = append(b, key...)
	x.keys.scratch = b
	sum := sha256.Sum256(b)
	return hashFrom(sum[:])
}

func hashFrom(b []byte) (h hash) {
	for i := range h {
		h[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return h
}

func (h *hash) appendTo(b []byte) []byte {
	for _, v := range h {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// key is a record of the table: 28 bytes without a pointer, and 4 in the table and 4 by which its job
// finds it. The job may have ended already.
type key struct {
	hash   hash
	idLow  uint32
	idHigh uint32 // 21 bits; above them what the key is
	chain  uint32 // the next in the bucket
}

const (
	keyLives    = 1 << 31 // the job lives, and refers to it
	keyOnce     = 1 << 30 // it is the name of a put, which the end of the window ends
	keyWindowed = 1 << 29 // it stands in the timeline of windows
)

func (k *key) id() uint64          { return uint64(k.idLow) | uint64(k.idHigh&(1<<idHighBits-1))<<32 }
func (k *key) is(what uint32) bool { return k.idHigh&what != 0 }

// keys finds a key by its hash. It is a linear hash, as index is one. Where a key stands depends on
// numbers that nobody outside knows, so nobody can choose keys that stand in one place.
type keys struct {
	cells.Slab[key]
	n, split uint32
	level    uint // buckets are 1<<level + split
	buckets  [][]uint32
	mix      [3]uint64
	scratch  []byte
}

func newKeys(mix [3]uint64) keys {
	k := keys{Slab: cells.NewSlab[key](), level: indexMinLevel, buckets: [][]uint32{make([]uint32, cells.ChunkLen)}}
	for i := range k.mix {
		k.mix[i] = mix[i] | 1
	}
	return k
}

func (k *keys) bucketOf(h *hash) uint32 {
	x := (uint64(h[0]) | uint64(h[1])<<32) ^ k.mix[0]
	x *= k.mix[1]
	x ^= x >> 32
	x *= k.mix[2]
	b := uint32(x>>32) & (1<<(k.level+1) - 1)
	if low := b & (1<<k.level - 1); low >= k.split {
		return low
	}
	return b
}

func (k *keys) head(b uint32) *uint32 { return &k.buckets[b>>cells.ChunkShift][b&cells.ChunkMask] }

// first is the first record with a hash, and next the one behind it; 0 if there is none.
func (k *keys) first(h *hash) uint32 { return k.from(*k.head(k.bucketOf(h)), h) }

func (k *keys) next(ref uint32) uint32 { return k.from(k.At(ref).chain, &k.At(ref).hash) }

func (k *keys) from(ref uint32, h *hash) uint32 {
	for ref != 0 && k.At(ref).hash != *h {
		ref = k.At(ref).chain
	}
	return ref
}

func (k *keys) insert(h hash, id uint64, what uint32) (ref uint32) {
	ref = k.Alloc()
	head := k.head(k.bucketOf(&h))
	*k.At(ref) = key{hash: h, idLow: uint32(id), idHigh: uint32(id>>32) | what, chain: *head}
	*head = ref
	if k.n++; k.n > 1<<k.level+k.split {
		k.growOne()
	}
	return ref
}

func (k *keys) remove(ref uint32) {
	link := k.head(k.bucketOf(&k.At(ref).hash))
	for *link != ref {
		link = &k.At(*link).chain
	}
	*link = k.At(ref).chain
	k.Release(ref)
	k.n--
	if total := 1<<k.level + k.split; total > 1<<indexMinLevel && k.n < total/4 {
		k.shrinkOne()
	}
}

func (k *keys) growOne() {
	from, to := k.split, uint32(1)<<k.level+k.split
	if int(to>>cells.ChunkShift) == len(k.buckets) {
		k.buckets = append(k.buckets, make([]uint32, cells.ChunkLen))
	}
	ref := *k.head(from)
	*k.head(from), *k.head(to) = 0, 0
	k.split++
	if k.split == 1<<k.level {
		k.level, k.split = k.level+1, 0
	}
	for ref != 0 {
		r := k.At(ref)
		next, head := r.chain, k.head(k.bucketOf(&r.hash))
		r.chain, *head = *head, ref
		ref = next
	}
}

func (k *keys) shrinkOne() {
	if k.split == 0 {
		k.level, k.split = k.level-1, 1<<(k.level-1)
	}
	k.split--
	last := uint32(1)<<k.level + k.split
	link := k.head(k.split)
	for *link != 0 {
		link = &k.At(*link).chain
	}
	*link = *k.head(last)
	*k.head(last) = 0
	if keep := int(last>>cells.ChunkShift) + 2; keep < len(k.buckets) {
		k.buckets[keep] = nil
		k.buckets = k.buckets[:keep]
	}
}
