package queue

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// item is what a job has for the queue service: a record without pointers, to which the
// job's rare fields refer. A job that only beanstalk clients have seen has none. Tags and
// note are kept like bodies.
type item struct {
	job        uint32 // its slot
	tags       uint32
	tagsSize   uint32
	note       uint32 // what the last negative said
	noteSize   uint32
	rebalances uint32 // how often it was taken from a consumer of the first group
	avoid      uint32 // the number of the consumer that is not to get it next, or 0
	next, prev uint32 // items whose request ids have the same hash, in the order of their ids
	fate       policy.Fate
	fated      bool // its fate is decided: it is a dead letter of one of the groups
	moved      bool // it was moved to another tube
	requested  bool // it is in the index of request ids
}

// How many bytes are kept of what a negative says of an item. The rest is cut.
const (
	codeMost   = 64
	reasonMost = 512
)

// itemOf finds the item of a job, or makes it.
func (s *State) itemOf(slot uint32) *item {
	t := s.rareOf(s.job(slot))
	if t.item == 0 {
		t.item = s.added.Alloc()
		s.added.At(t.item).job = slot
	}
	return s.added.At(t.item)
}

// itemAt finds the item of a job, if it has one.
func (s *State) itemAt(slot uint32) *item {
	j := s.job(slot)
	if j.rare == 0 {
		return nil
	}
	if ref := s.rare(j).item; ref != 0 {
		return s.added.At(ref)
	}
	return nil
}

// setTags gives a new job its tags.
func (s *State) setTags(slot uint32, tags Tags) {
	if len(tags) > 0 {
		it := s.itemOf(slot)
		s.keepText(&it.tags, &it.tagsSize, tags)
	}
}

// tagsOf are a job's tags. They are valid during the turn only.
func (s *State) tagsOf(slot uint32) Tags {
	it := s.itemAt(slot)
	if it == nil {
		return nil
	}
	return s.kept(it.tags, it.tagsSize)
}

// setNote keeps what a negative said of a job. The caller, who also changes the job
// otherwise, tells the log.
func (s *State) setNote(slot uint32, code, reason string) {
	var note Tags
	if code != "" || reason != "" {
		note = appendText(note, code[:min(len(code), codeMost)])
		note = appendText(note, reason[:min(len(reason), reasonMost)])
	}
	s.keepNote(slot, note)
}

func (s *State) keepNote(slot uint32, note []byte) {
	it := s.itemOf(slot)
	s.keepText(&it.note, &it.noteSize, note)
}

// noteOf says what the last negative said of a job.
func (s *State) noteOf(slot uint32) (code, reason string) {
	it := s.itemAt(slot)
	if it == nil {
		return "", ""
	}
	c, rest, _ := cutText(Tags(s.kept(it.note, it.noteSize)))
	r, _, _ := cutText(rest)
	return string(c), string(r)
}

// dropItem frees the item of a job that ends.
func (s *State) dropItem(t *rare) {
	if t.item == 0 {
		return
	}
	it := s.added.At(t.item)
	s.bodies.Drop(it.tags, it.tagsSize)
	s.bodies.Drop(it.note, it.noteSize)
	s.added.Release(t.item)
	t.item = 0
}

// describeItem fills in the item's part of the scratch record. What that refers to is
// valid until the next turn.
func (s *State) describeItem(ref uint32) {
	it, r := s.added.At(ref), &s.recordItem
	if s.record.Item == nil {
		r.Done, r.Returned = r.Done[:0], r.Returned[:0]
	}
	*r = storage.Item{
		Tags: s.kept(it.tags, it.tagsSize), Note: s.kept(it.note, it.noteSize),
		Moved: it.moved, Rebalances: it.rebalances, Done: r.Done, Returned: r.Returned,
	}
	if it.fated {
		r.Fate = uint8(it.fate) + 1
	}
	s.record.Item = r
}

// describeDone adds to the scratch record how far the views are with a job, which need not
// have an item.
func (s *State) describeDone(v *service, slot uint32) {
	if len(v.views) == 0 {
		return
	}
	r := &s.recordItem
	*r = storage.Item{Done: r.Done[:0], Returned: r.Returned[:0]}
	v.recordJob(slot, r)
	if len(r.Done)+len(r.Returned) > 0 {
		s.record.Item = r
	}
}

// restoreItem gives a job back what the log has kept of its item.
func (s *State) restoreItem(slot uint32, r *storage.Item) {
	if r == nil {
		return
	}
	if t := s.tubeFor(slot); t.service != nil || len(r.Done)+len(r.Returned) > 0 {
		if t.service == nil { // the log has lost the queue's record
			s.serviceOf(t, &policy.Limits{})
		}
		t.service.restoreJob(slot, r)
	}
	if r.Route != nil {
		s.restoreRoute(slot, r.Route)
	}
	if len(r.Tags) == 0 && len(r.Note) == 0 && !r.Moved && r.Rebalances == 0 && r.Fate == 0 {
		return
	}
	it := s.itemOf(slot)
	s.setTags(slot, r.Tags)
	s.keepNote(slot, r.Note)
	it.moved, it.rebalances = r.Moved, r.Rebalances
	if r.Fate > 0 {
		it.fated, it.fate = true, policy.Fate(r.Fate-1)
	}
}

// Tags are pairs of strings in the order of their keys, packed: for each pair the
// length of the key, the key, the length of the value, the value. Lengths are
// uvarints. A key comes once.
type Tags []byte

// TagRequest is the tag with an item's request id. A queue has an index of it, so a get
// that names it finds its item fast.
const TagRequest = "requestId"

// MakeTags packs pairs.
func MakeTags(pairs map[string]string) Tags {
	var t Tags
	for _, k := range slices.Sorted(maps.Keys(pairs)) {
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
		m |= 1 << (hashText(k, v) >> 58)
	}
	return m
}

// hashText is FNV-1a of two texts, one behind the other, with its bits mixed: of short ones, the high bits are alike.
func hashText(a, b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, text := range [...][]byte{a, b} {
		for _, c := range text {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return (h ^ h>>32) * 0x9E3779B97F4A7C15
}
