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

// Queue is what a log keeps of a tube besides its jobs: what the queue service needs, and notes.
type Queue struct {
	Tube  string
	First string // the name of the group that is the tube itself; "" if there is none
	Ended bool   // it takes no more items
	Next  uint32 // the number of the next view
	Views []View // in the order of their numbers
	Notes []Note // in the order of their kinds and names
}

// Served says that the queue service has something to keep.
func (q *Queue) Served() bool { return q.First != "" || q.Ended || q.Next != 0 || len(q.Views) > 0 }

// Note is a small thing to remember with a tube, over restarts, whether or not the tube exists.
type Note struct {
	Kind  NoteKind
	Name  string
	Value []byte // at most MaxNote; what it means is up to the kind
}

// NoteKind says whose a note is. A store keeps notes of kinds that it does not know.
type NoteKind uint8

// The kinds of notes.
const (
	NoteTick   NoteKind = iota + 1 // of a schedule
	NotePurge                      // of a purge that is under way
	NotePolicy                     // policies that were set at run time, beside the tube without a name
)

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
	c.Notes = slices.Clone(q.Notes)
	for i := range c.Notes {
		c.Notes[i].Value = slices.Clone(c.Notes[i].Value)
	}
	return &c
}

// Item is what a log keeps of a job for the queue service, and for puts and moves that beanstalkd
// does not know. Tags are kept as they were put; Update and Quarantine record the rest.
type Item struct {
	Tags       []byte   // packed, by whoever puts them; at most MaxTags
	Moved      bool     // Job.Tube is no longer the tube that the job was put into
	Rebalances uint32   // how often it was taken from a consumer of the first group
	Fate       uint8    // what becomes of it when all groups are done
	Note       []byte   // what the last negative said, packed; at most MaxNote
	Done       []uint32 // numbers of the views that are done with it
	Returned   []Returned
	Keys       *Keys       // that the put has taken; kept as they were put, like the tags
	Options    *PutOptions // of a put that said more than a plain one can
	Route      *Route      // of a job that has been in another tube
	Since      uint64      // not among those that the purges of its tube up to this number have ended; 0: not known
}

// Keys are what a put has taken in its tube. A job that was Moved has them no longer.
type Keys struct {
	Key       []byte // at most MaxKey; of a Spent record, the hash of a key or of a put's name
	KeyUntil  int64  // wall clock until which the key is taken also if the job has ended; 0: it is not
	Once      []byte // the name of the put; at most MaxKey
	OnceUntil int64  // wall clock until which it is known
	Of        uint64 // of a Spent record, the job that had the key
}

// PutOptions are what a put has said beyond priority, delay and TTR.
type PutOptions struct {
	TTR        int64  // nanoseconds, instead of Job.TTR; 0: that one
	Expires    int64  // wall clock at which the job is too old; 0: never
	Deliveries uint32 // after so many it is a dead letter; 0: as the tube's policy says
}

// Route says how a job came to its tube, and where it is to go.
type Route struct {
	Hops   uint32 // how often it has come to another shard: a part of the job's key, which see
	To     string // the tube for which it leaves this shard; "" if it does not
	Timed  bool   // Job.TTR is another one than it was put with
	Traces []byte // where it has been a dead letter, packed, by whoever moves it; at most MaxNote
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
	if i.Keys != nil {
		k := *i.Keys
		k.Key, k.Once = slices.Clone(k.Key), slices.Clone(k.Once)
		c.Keys = &k
	}
	if i.Options != nil {
		t := *i.Options
		c.Options = &t
	}
	if i.Route != nil {
		j := *i.Route
		j.Traces = slices.Clone(j.Traces)
		c.Route = &j
	}
	return &c
}

// How long parts of a record may be, in bytes. A log must not be given anything longer.
const (
	MaxTags = 64 << 10 // of an item, or of a view
	MaxNote = 64 << 10
	MaxName = 64 << 10 // of a tube or a group
	MaxKey  = 1 << 10
)
