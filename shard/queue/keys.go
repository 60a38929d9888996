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

// key is a record of the table: 24 bytes without a pointer, some 10 in the table and 4 by which its job
// finds it. The job may have ended already.
type key struct {
	hash   hash
	idLow  uint32
	idHigh uint32 // 21 bits; above them what the key is
}

const (
	keyLives    = 1 << 31 // the job lives, and refers to it
	keyOnce     = 1 << 30 // it is the name of a put, which the end of the window ends
	keyWindowed = 1 << 29 // it stands in the timeline of windows
)

func (k *key) id() uint64          { return uint64(k.idLow) | uint64(k.idHigh&(1<<idHighBits-1))<<32 }
func (k *key) is(what uint32) bool { return k.idHigh&what != 0 }

// keys finds a key by its hash. Where a key stands depends on numbers that nobody outside knows, so nobody can choose
// keys that stand in one place.
type keys struct {
	cells.Slab[key]
	cells.Table
	mix     [3]uint64
	scratch []byte
	ahead   []uint32 // hashes of keys that will be looked for
}

func newKeys(mix [3]uint64) keys {
	k := keys{Slab: cells.NewSlab[key](), Table: cells.NewTable()}
	for i := range k.mix {
		k.mix[i] = mix[i] | 1
	}
	return k
}

// mixed is the hash by which the table knows a key.
func (k *keys) mixed(h *hash) uint32 {
	x := (uint64(h[0]) | uint64(h[1])<<32) ^ k.mix[0]
	x *= k.mix[1]
	x ^= x >> 32
	x *= k.mix[2]
	return uint32(x >> 32)
}

func (k *keys) mixedOf(ref uint32) uint32 { return k.mixed(&k.At(ref).hash) }

// find finds the record with a hash; 0 if there is none.
func (k *keys) find(h *hash) uint32 {
	return k.Find(k.mixed(h), func(ref uint32) bool { return k.At(ref).hash == *h })
}

func (k *keys) insert(h hash, id uint64, what uint32) (ref uint32) {
	ref = k.Alloc()
	*k.At(ref) = key{hash: h, idLow: uint32(id), idHigh: uint32(id>>32) | what}
	k.Add(k.mixed(&h), ref, k.mixedOf)
	return ref
}

func (k *keys) remove(ref uint32) {
	k.Remove(k.mixedOf(ref), ref)
	k.Release(ref)
}
