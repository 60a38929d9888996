package storage

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// Purge is what a note (NotePurge) says: that the jobs of a tube ended at one moment, though the log has
// records of them still, which are deleted later. The note goes when the last of these has gone.
//
// A job of the tube has ended if its id is at most Last, if it is not among the Spared, and if it was last
// recorded before that moment. Whatever is recorded afterwards of a job with such an id says so (Item.Since).
// Jobs that are leaving for another shard are not meant.
type Purge struct {
	Number uint64   // purges of a tube have growing numbers
	Last   uint64   // ids above are of jobs that were put afterwards
	Spared []uint64 // sorted
}

// Note is the purge as a note.
func (p *Purge) Note() (name string, value []byte) {
	value = binary.AppendUvarint(nil, p.Last)
	value = binary.AppendUvarint(value, uint64(len(p.Spared)))
	was := uint64(0)
	for _, id := range p.Spared {
		value = binary.AppendUvarint(value, id-was)
		was = id
	}
	return strconv.FormatUint(p.Number, 10), value
}

// PurgeOf is the purge that a note tells of; nil if it is none, or not one that this build has written.
func PurgeOf(n *Note) *Purge {
	if n.Kind != NotePurge {
		return nil
	}
	number, err := strconv.ParseUint(n.Name, 10, 64)
	p := &Purge{Number: number}
	rest := n.Value
	next := func() (v uint64) {
		v, size := binary.Uvarint(rest)
		if size <= 0 {
			err = ErrCorrupt
			return 0
		}
		rest = rest[size:]
		return v
	}
	p.Last = next()
	count := next()
	if count > uint64(len(rest)) {
		return nil
	}
	was := uint64(0)
	for range count {
		was += next()
		p.Spared = append(p.Spared, was)
	}
	if err != nil || len(rest) > 0 || !slices.IsSorted(p.Spared) {
		return nil
	}
	return p
}

// Ended says that the purge has ended a job of its tube.
func (p *Purge) Ended(j *Job) bool {
	if j.ID > p.Last || j.State == Spent {
		return false
	}
	if i := j.Item; i != nil && (i.Since >= p.Number || i.Route != nil && i.Route.To != "") {
		return false
	}
	_, spared := slices.BinarySearch(p.Spared, j.ID)
	return !spared
}

// Purges are those of all tubes of a log.
type Purges map[string][]*Purge

// Add takes in the purges that a queue's notes tell of.
func (all *Purges) Add(q *Queue) {
	for i := range q.Notes {
		if p := PurgeOf(&q.Notes[i]); p != nil {
			if *all == nil {
				*all = Purges{}
			}
			(*all)[q.Tube] = append((*all)[q.Tube], p)
		}
	}
}

// Ended says that one of them has ended a job.
func (all Purges) Ended(j *Job) bool {
	return len(all) > 0 && slices.ContainsFunc(all[j.Tube], func(p *Purge) bool { return p.Ended(j) })
}
