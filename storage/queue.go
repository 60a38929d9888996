package storage

import "slices"

// RearSuffix ends the name of a rear queue.
const RearSuffix = ";rear"

// Home is the part of a tube's name that chooses its shard. It is the same for a queue and
// its rear queue, so they are on one shard.
func Home[T string | []byte](tube T) T {
	n := len(tube)
	for n >= len(RearSuffix) && string(tube[n-len(RearSuffix):n]) == RearSuffix {
		n -= len(RearSuffix)
	}
	return tube[:n]
}

// Queue is what a log keeps of a tube that the queue service uses, besides its jobs.
type Queue struct {
	Tube  string
	First string // the name of the group that is the tube itself; "" if there is none
	Ended bool   // it takes no more items
	Next  uint32 // the number of the next view
	Views []View // in the order of their numbers
}

// View is a further group of a queue: it gets each job too.
type View struct {
	Number uint32 // never used again for this queue
	Name   string
	Start  uint64 // the first id that it gets
	Tags   []byte // it gets only jobs that have these; packed as the queue packs them
}

// Clone copies a queue with all that it refers to.
func (q *Queue) Clone() *Queue {
	c := *q
	c.Views = slices.Clone(q.Views)
	for i := range c.Views {
		c.Views[i].Tags = slices.Clone(c.Views[i].Tags)
	}
	return &c
}

// Item is what a log keeps of a job for the queue service. Tags are kept as they were
// put; Update and Quarantine record the rest.
type Item struct {
	Tags       []byte   // packed, by whoever puts them; at most MaxTags
	Moved      bool     // Job.Tube is no longer the tube that the job was put into
	Rebalances uint32   // how often it was taken from a consumer of the first group
	Fate       uint8    // what becomes of it when all groups are done
	Note       []byte   // what the last negative said, packed; at most MaxNote
	Done       []uint32 // numbers of the views that are done with it
	Returned   []Returned
}

// Returned says how often a view has taken a job back from a consumer.
type Returned struct{ View, Times uint32 }

// Clone copies an item with all that it refers to. A nil item is nil again.
func (i *Item) Clone() *Item {
	if i == nil {
		return nil
	}
	c := *i
	c.Tags, c.Note, c.Done = slices.Clone(i.Tags), slices.Clone(i.Note), slices.Clone(i.Done)
	c.Returned = slices.Clone(i.Returned)
	return &c
}

// How long parts of a record may be, in bytes. A log must not be given anything longer.
const (
	MaxTags = 64 << 10 // of an item, or of a view
	MaxNote = 64 << 10
	MaxName = 64 << 10 // of a tube or a group
)
