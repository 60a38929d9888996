package history

import "hash/maphash"

// recent remembers how far the tubes without a history were at an earlier sample, to find
// those that are busy now. There may be many more tubes than it has places. A place belongs to
// one tube; another tube gets it when the first one was idle between two samples, or has gone.
// So every tube is measured now and then, and a busy one keeps its place until it is found.
type recent struct {
	seed   maphash.Seed
	places []remembered
	round  uint8
}

// remembered is a tube, known by a part of its name's hash, and the lower part of its counter.
type remembered struct {
	count uint32
	tag   uint16
	round uint8 // in which it was seen last
	state uint8
}

// What a place says of its tube.
const (
	nobody = iota
	unmeasured
	idle
	busy
)

// recentPlaces bounds the table (HI1).
const recentPlaces = 1 << 15

func newRecent() *recent {
	return &recent{seed: maphash.MakeSeed(), places: make([]remembered, recentPlaces)}
}

// turn begins another sample.
func (r *recent) turn() { r.round++ }

// measure returns how much a counter has grown between two samples, or 0 if that is not known.
func (r *recent) measure(name string, counter uint64) uint32 {
	h := maphash.String(r.seed, name)
	p, tag := &r.places[h%recentPlaces], uint16(h>>48)
	if p.state == nobody || p.tag != tag {
		if gone := r.round-p.round > 1; gone || p.state == nobody || p.state == idle {
			*p = remembered{uint32(counter), tag, r.round, unmeasured}
		}
		return 0
	}
	grown := uint32(counter) - p.count
	if grown > 1<<31 {
		grown = 0 // the tube had ended meanwhile, and counts anew
	}
	*p = remembered{uint32(counter), tag, r.round, idle}
	if grown > 0 {
		p.state = busy
	}
	return grown
}
