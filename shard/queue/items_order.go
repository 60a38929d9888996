package queue

import (
	"slices"
	"sort"

	"beanfield/shard/queue/cells"
)

// order keeps the slots of a tube's jobs in the order of their ids, in runs of up to
// runMost. Any two neighbouring runs together have more than runMost, except for the first
// and the last run, so a job costs at most 8 bytes. Jobs mostly come at the end and go at
// the beginning, and both take constant time. In the middle it takes the time to find and
// shift one run.
type order struct {
	jobs  *cells.Slab[job]
	n     int
	runs  []run    // none is empty
	spare []uint32 // memory of a run that has gone, for the next one
}

// run is a part of an order. It may begin anywhere in its memory, so removing its first
// slot copies nothing.
type run struct {
	from   uint64 // no id in this run is lower, and all ids of the run before are
	slots  []uint32
	memory []uint32 // all of it; nil when slots may be in other memory
}

const runMost = 512

// place is where in an order a job is. It is valid until the order changes.
type place struct{ run, at int }

// insert takes in a job that is not in the order.
func (o *order) insert(slot uint32) {
	id := o.jobs.At(slot).id()
	o.n++
	last := len(o.runs) - 1
	if last < 0 || id > o.lastID() {
		o.push(last, id, slot)
		return
	}
	p := o.seek(id)
	r := &o.runs[p.run]
	if p.at == 0 && p.run > 0 && id < r.from && len(o.runs[p.run-1].slots) < runMost {
		p.run--
		r = &o.runs[p.run]
		p.at = len(r.slots)
	}
	if len(r.slots) >= runMost {
		half := len(r.slots) / 2
		o.runs = slices.Insert(o.runs, p.run+1, run{from: o.jobs.At(r.slots[half]).id(),
			slots: slices.Clone(r.slots[half:])})
		r = &o.runs[p.run]
		r.slots = r.slots[:half]
		if p.at > half {
			p.run, p.at = p.run+1, p.at-half
			r = &o.runs[p.run]
		}
	}
	r.slots, r.memory = slices.Insert(r.slots, p.at, slot), nil
	r.from = min(r.from, id)
	o.join(p.run)
}

// push adds the job with the highest id.
func (o *order) push(last int, id uint64, slot uint32) {
	if last >= 0 {
		r := &o.runs[last]
		switch n := len(r.slots); {
		case n < cap(r.slots) && n < runMost:
			r.slots = append(r.slots, slot)
			return
		case 2*n <= cap(r.memory): // its beginning has gone
			r.slots = append(append(r.memory[:0], r.slots...), slot)
			return
		case n < runMost/2: // likewise, or the run is new
			r.memory = make([]uint32, 0, min(max(16, 4*n), runMost))
			r.slots = append(append(r.memory, r.slots...), slot)
			return
		}
	}
	memory := o.spare
	o.spare = nil
	switch {
	case last < 0 && memory == nil:
		memory = make([]uint32, 0, 16) // most orders are short
	case cap(memory) < runMost && last >= 0:
		memory = make([]uint32, 0, runMost)
	}
	o.runs = append(o.runs, run{id, append(memory, slot), memory})
}

func (o *order) lastID() uint64 { return o.jobs.At(o.last()).id() }

// first is the job with the lowest id, or 0.
func (o *order) first() uint32 {
	if o.n == 0 {
		return 0
	}
	return o.runs[0].slots[0]
}

// last is the job with the highest id, or 0.
func (o *order) last() uint32 {
	if o.n == 0 {
		return 0
	}
	r := &o.runs[len(o.runs)-1]
	return r.slots[len(r.slots)-1]
}

// seek finds the first job whose id is at least the given one. If there is none the
// place is the end of the last run, at which there is no job.
func (o *order) seek(id uint64) place {
	ri := sort.Search(len(o.runs), func(i int) bool { return o.runs[i].from > id }) - 1
	if ri < 0 {
		return place{}
	}
	r := &o.runs[ri]
	at := 0
	if o.jobs.At(r.slots[0]).id() < id {
		at = sort.Search(len(r.slots), func(i int) bool { return o.jobs.At(r.slots[i]).id() >= id })
	}
	if at == len(r.slots) && ri+1 < len(o.runs) {
		return place{ri + 1, 0}
	}
	return place{ri, at}
}

// at is the job at a place, or 0.
func (o *order) at(p place) uint32 {
	if p.run < 0 || p.run >= len(o.runs) || p.at >= len(o.runs[p.run].slots) {
		return 0
	}
	return o.runs[p.run].slots[p.at]
}

// next is the place after one that has a job.
func (o *order) next(p place) place {
	if p.at++; p.at == len(o.runs[p.run].slots) && p.run+1 < len(o.runs) {
		return place{p.run + 1, 0}
	}
	return p
}

// back is the place before another, which has a job or is the end.
func (o *order) back(p place) place {
	switch {
	case p.at > 0:
		return place{p.run, p.at - 1}
	case p.run > 0:
		return place{p.run - 1, len(o.runs[p.run-1].slots) - 1}
	}
	return place{run: -1}
}

// has says whether a job is in the order.
func (o *order) has(slot uint32) bool {
	return o.at(o.seek(o.jobs.At(slot).id())) == slot
}

// remove takes out a job, which must be in the order.
func (o *order) remove(slot uint32) {
	p := place{}
	if o.first() != slot {
		p = o.seek(o.jobs.At(slot).id())
	}
	if o.at(p) != slot {
		panic("queue: a job is not in its tube's order")
	}
	o.n--
	r := &o.runs[p.run]
	if p.at < len(r.slots)/2 { // move the fewer
		copy(r.slots[1:], r.slots[:p.at])
		r.slots = r.slots[1:]
	} else {
		r.slots = append(r.slots[:p.at], r.slots[p.at+1:]...)
	}
	switch {
	case len(r.slots) > 0:
		o.join(p.run)
	case p.run == 0: // without shifting the others
		o.spare, o.runs[0] = r.memory, run{}
		if len(o.runs) == 1 {
			o.runs = o.runs[:0]
		} else {
			o.runs = o.runs[1:]
		}
	default:
		o.runs = slices.Delete(o.runs, p.run, p.run+1)
	}
}

// join makes one run of two neighbours that fit into one. The first run and the last
// stay as they are: otherwise a queue that is always about as long as a run would copy
// a run for each job.
func (o *order) join(i int) {
	for left := i - 1; left <= i; left++ {
		if left < 1 || left+2 >= len(o.runs) {
			continue
		}
		a, b := o.runs[left].slots, o.runs[left+1].slots
		if len(a)+len(b) <= runMost {
			o.runs[left].slots, o.runs[left].memory = append(append(make([]uint32, 0, runMost), a...), b...), nil
			o.runs = slices.Delete(o.runs, left+1, left+2)
			return
		}
	}
}
