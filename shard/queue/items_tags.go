package queue

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Tags are pairs of strings in the order of their keys, packed: for each pair the
// length of the key, the key, the length of the value, the value. Lengths are
// uvarints. A key comes once.
type Tags []byte

// TagRequest is the tag with an item's request id. A queue has an index of it, so a get
// that names it finds its item fast.
const TagRequest = "requestId"

// MakeTags packs pairs.
func MakeTags(pairs map[string]string) Tags {
	keys := make([]string, 0, len(pairs))
	for k := range pairs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var t Tags
	for _, k := range keys {
		t = appendText(appendText(t, k), pairs[k])
	}
	return t
}

// With adds a pair, whose key comes behind all others.
func (t Tags) With(key, value []byte) Tags { return appendText(appendText(t, key), value) }

func appendText[T string | []byte](t Tags, s T) Tags {
	return append(binary.AppendUvarint(t, uint64(len(s))), s...)
}

// All iterates over the pairs. It stops at the first pair that is not whole.
func (t Tags) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for len(t) > 0 {
			var k, v []byte
			var ok bool
			if k, t, ok = cutText(t); !ok {
				return
			}
			if v, t, ok = cutText(t); !ok || !yield(k, v) {
				return
			}
		}
	}
}

func cutText(t Tags) (text []byte, rest Tags, ok bool) {
	n, size := binary.Uvarint(t)
	if size <= 0 || n > uint64(len(t)-size) {
		return nil, nil, false
	}
	end := size + int(n)
	return t[size:end:end], t[end:], true
}

// pairs iterates over the pairs as they are packed.
func (t Tags) pairs() iter.Seq[[]byte] {
	return func(yield func(pair []byte) bool) {
		for len(t) > 0 {
			_, rest, _ := cutText(t)
			_, rest, ok := cutText(rest)
			if !ok || !yield(t[:len(t)-len(rest)]) {
				return
			}
			t = rest
		}
	}
}

// Get finds the value of a key.
func (t Tags) Get(key string) (value []byte, ok bool) {
	for k, v := range t.All() {
		if string(k) == key {
			return v, true
		}
	}
	return nil, false
}

// Has says whether the tags include all pairs of want.
func (t Tags) Has(want Tags) bool {
	for k, v := range want.All() {
		if got, ok := t.Get(string(k)); !ok || string(got) != string(v) {
			return false
		}
	}
	return true
}

// marks has a bit for each pair. Tags that include all pairs of other tags also include all
// their marks. So most consumers and gets that want other tags can be skipped without
// comparing texts.
func (t Tags) marks() (m uint64) {
	for k, v := range t.All() {
		h := uint64(14695981039346656037) // FNV-1a
		for _, b := range k {
			h = (h ^ uint64(b)) * 1099511628211
		}
		for _, b := range v {
			h = (h ^ uint64(b)) * 1099511628211
		}
		m |= 1 << ((h ^ h>>32) * 0x9e3779b97f4a7c15 >> 58) // of short texts, h's high bits are alike
	}
	return m
}
