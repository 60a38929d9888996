package queue

import (
	"crypto/sha256"
	"encoding/binary"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
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
	b = append(appendText(b, tube), key...)
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

// A put may give its job a key. While the job lives, and as long as the put has said, no other put of
// that tube gets the same key: it is told which job has it. A put may also have a name, by which
// whoever sends it again is told the id that it was answered with. Both are records of the table of
// keys, of which a put's name ends with its time (its window), and a key with its job and its window.
//
// A key belongs to a tube. A job that goes to another tube gives its key up: the window goes on in the
// old tube, and in the new one the job has no key: of a key there is only its hash, which is another in
// each tube. A job that a client moves keeps its keys until its copy is safe, because it may come home.
//
// A window that outlives its job has a record in the log, without a body: a job that is Spent. It
// takes the place of the job's record in the turn in which that ends, and has an id of its own,
// because no id is put twice.

// windows are the keys that end with a time.
type windows struct {
	ends    cells.Timeline  // records of the table of keys, by when
	logged  spentIDs        // the ids of Spent records in the log, by records of the table
	missing map[uint64]bool // ids of Spent records that are no longer in the log (see discardSpent)
}

// spentIDs are ids by slots; most are 0.
type spentIDs []*[cells.ChunkLen]uint64

func (l spentIDs) get(slot uint32) uint64 {
	if ci := int(slot >> cells.ChunkShift); ci < len(l) && l[ci] != nil {
		return l[ci][slot&cells.ChunkMask]
	}
	return 0
}

func (l *spentIDs) set(slot uint32, id uint64) {
	ci := int(slot >> cells.ChunkShift)
	for ci >= len(*l) {
		*l = append(*l, nil)
	}
	if (*l)[ci] == nil {
		if id == 0 {
			return
		}
		(*l)[ci] = new([cells.ChunkLen]uint64)
	}
	(*l)[ci][slot&cells.ChunkMask] = id
}

// keyed says that a put has a key or a name.
func (t *Options) keyed() bool { return len(t.Key)+len(t.Once) > 0 }

// holder finds the record of a keyed put that has come before (OK), or the one that has its key (Exists); 0 if
// there is neither.
func (s *State) holder(t *tube, o *Options) (ref uint32, _ Status) {
	s.hashKeys(t.name, o)
	if len(o.Once) > 0 {
		ref = s.taken(&o.once)
	}
	if ref != 0 || len(o.Key) == 0 {
		return ref, OK
	}
	return s.taken(&o.key), Exists
}

// hashKeys hashes what a put into a tube takes, if that has not been done.
func (s *State) hashKeys(tube string, o *Options) {
	if o.hashed {
		return
	}
	o.hashed = true
	if len(o.Key) > 0 {
		o.key = s.hashOf(ofKey, tube, o.Key)
	}
	if len(o.Once) > 0 {
		o.once = s.hashOf(ofOnce, tube, o.Once)
	}
}

// foresee has the processor fetch, all at once, what the keyed puts among some operations will look at in turn: with
// millions of keys that is in no cache.
func (s *State) foresee(ops []Op) {
	k := &s.extra.keys
	k.ahead = k.ahead[:0]
	for i := range ops {
		op := &ops[i]
		if op.Kind != Put || op.Options == nil || op.Tube == "" || !op.Options.keyed() {
			continue
		}
		o := op.Options
		if s.hashKeys(op.Tube, o); len(o.Key) > 0 {
			k.ahead = append(k.ahead, k.mixed(&o.key))
		}
		if len(o.Once) > 0 {
			k.ahead = append(k.ahead, k.mixed(&o.once))
		}
	}
	k.Foresee(k.ahead)
}

// taken finds the record of a key that is taken; 0 if it is free.
func (s *State) taken(h *hash) uint32 {
	k := &s.extra.keys
	if len(s.yard.graves) > 0 {
		s.freeKey(h)
	}
	for {
		ref := k.find(h)
		if ref == 0 || !s.over(ref) {
			return ref
		}
		s.endWindow(ref)
	}
}

// over says that a window has ended, and with it the key.
func (s *State) over(ref uint32) bool {
	k := s.extra.keys.At(ref)
	return k.is(keyWindowed) && (!k.is(keyLives) || k.is(keyOnce)) && s.endOf(ref) <= s.now
}

// endOf is when the window of a key ends; 0 if it has none.
func (s *State) endOf(ref uint32) int64 {
	if x := s.extra; x.keys.At(ref).is(keyWindowed) {
		return x.ends.When(ref)
	}
	return 0
}

// wallOf is the same on the wall clock.
func (s *State) wallOf(ref uint32) int64 {
	if at := s.endOf(ref); at != 0 {
		return at + s.Epoch
	}
	return 0
}

// takeKey takes a key for a job, for some time or, without end, for as long as it lives.
func (s *State) takeKey(h hash, id uint64, what uint32, end int64) (ref uint32) {
	x := s.needExtras()
	ref = x.keys.insert(h, id, what|keyLives)
	s.openWindow(ref, end)
	return ref
}

func (s *State) openWindow(ref uint32, end int64) {
	if end == 0 {
		return
	}
	x := s.extra
	k := x.keys.At(ref)
	k.idHigh |= keyWindowed
	x.ends.Cover(ref)
	x.ends.Schedule(ref, end)
}

// giveUpKeys takes the keys from a job that leaves its tube, or ends. Windows go on.
func (s *State) giveUpKeys(slot uint32) {
	if s.extra == nil {
		return
	}
	t := s.extra.of(slot)
	for _, ref := range [...]uint32{t.key, t.once} {
		if ref != 0 {
			s.extra.unref(slot, ref)
			s.giveUpKey(slot, ref)
		}
	}
}

func (s *State) giveUpKey(slot, ref uint32) {
	k := s.extra.keys.At(ref)
	switch {
	case !k.is(keyWindowed):
		s.extra.keys.remove(ref)
	case s.discarding:
		s.forgetKey(ref)
	default:
		k.idHigh &^= keyLives
		s.logSpent(ref, s.tubeFor(slot).name)
	}
}

// hasKeys says that a job has a key, or its put has a name.
func (s *State) hasKeys(slot uint32) bool {
	if s.extra == nil {
		return false
	}
	t := s.extra.of(slot)
	return t.key|t.once != 0
}

// endWindow ends the window of a key. One whose job lives has it without a window from then on.
func (s *State) endWindow(ref uint32) {
	k := s.extra.keys.At(ref)
	if k.is(keyLives) && !k.is(keyOnce) {
		s.extra.ends.Schedule(ref, 0)
		k.idHigh &^= keyWindowed
		return
	}
	if k.is(keyLives) {
		s.extra.unref(s.slotOf(k.id()), ref)
	}
	s.forgetKey(ref)
}

// forgetKey removes a key that has a window.
func (s *State) forgetKey(ref uint32) {
	x := s.extra
	x.ends.Schedule(ref, 0)
	if id := x.logged.get(ref); id != 0 {
		x.logged.set(ref, 0)
		if !s.discarding {
			s.record = storage.Job{ID: id, State: storage.Spent}
			s.Log.Delete(&s.record)
		}
	}
	x.keys.remove(ref)
}

// logSpent logs a window that outlives its job, or its stay in a tube. While the log has no room even
// for updates, the window ends with the process.
func (s *State) logSpent(ref uint32, tube string) {
	if !s.Durable || !s.Log.RoomToUpdate() {
		return
	}
	x := s.extra
	k := x.keys.At(ref)
	x.keys.scratch = k.hash.appendTo(x.keys.scratch[:0])
	id := s.Directory.Spare()
	s.recordKeys = storage.Keys{Key: x.keys.scratch, Of: k.id()}
	s.record = storage.Job{ID: id, Tube: tube, State: storage.Spent, Deadline: s.wallOf(ref)}
	s.recordItemOf().Keys = &s.recordKeys
	s.Log.Put(&s.record)
	x.logged.set(ref, id)
}

// restoreSpent puts back the window of a job that has ended.
func (s *State) restoreSpent(r *storage.Job) {
	if r.Item == nil || r.Item.Keys == nil || len(r.Item.Keys.Key) != hashLen {
		return // of a newer build, perhaps
	}
	k, x := r.Item.Keys, s.needExtras()
	ref := x.keys.insert(hashFrom(k.Key), k.Of, 0)
	s.openWindow(ref, s.queueTime(r.Deadline))
	x.logged.set(ref, r.ID)
}

// mostMissing is how many Spent records may be gone before the keys are looked through.
const mostMissing = 1 << 16

// discardSpent takes back what was restored of a Spent record, if there is one with this id. There is
// no way from the id to the key, so this is done for many at a time.
func (s *State) discardSpent(id uint64) {
	x := s.extra
	if x == nil || len(x.logged) == 0 {
		return
	}
	if x.missing == nil {
		x.missing = map[uint64]bool{}
	}
	if x.missing[id] = true; len(x.missing) >= mostMissing {
		s.discardMissing()
	}
}

// discardMissing ends the windows whose records have gone from the log.
func (s *State) discardMissing() {
	x := s.extra
	if x == nil || len(x.missing) == 0 {
		return
	}
	s.discarding = true
	for ci, chunk := range x.logged {
		if chunk == nil {
			continue
		}
		for i, id := range chunk {
			if id != 0 && x.missing[id] {
				s.forgetKey(uint32(ci<<cells.ChunkShift + i))
			}
		}
	}
	s.discarding = false
	x.missing = nil
}

// serveWindows ends the windows whose time has come.
func (s *State) serveWindows() {
	for s.extra.ends.Due(s.now) && s.step(moving) {
		s.endWindow(s.extra.ends.Top().Slot)
	}
}
