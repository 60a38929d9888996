package queue

import (
	"errors"
	"unsafe"

	"beanfield/storage"
)

// DeliveryBatch is items on their way from a shard to a client: what one turn pushes to one
// consumer, or what a get has found. Small bodies and tags are copied into Bytes,
// because the shard may use their memory again.
type DeliveryBatch struct {
	Items []Item
	Bytes []byte
	// Over says that the queue has ended, and that after these items no more come.
	Over bool

	to       Receiver  // nil for a get's
	consumer *consumer // likewise
	lost     int       // the weight of items that were taken out
	away     int       // items whose bodies are yet to be read from the log
}

// Item is one item of a delivery batch.
type Item struct {
	Index    uint64
	Pri      uint32
	Size     uint32 // of the body
	TagsAt   uint32 // Bytes[TagsAt:BodyAt] are the tags
	BodyAt   uint32 // Bytes[BodyAt:BodyEnd] is a small body
	BodyEnd  uint32
	Large    [][]byte // a large body, or one that was read from the log
	away     bool     // the body is yet to be read from the log
	Delivery int      // how often the item has been sent, this time included
}

// How many bytes of sent delivery batches are kept for new ones: in total, and at most of one.
// Consumers give them back a dozen at a time, perhaps all in the same turn; there is
// room for those of hundreds of consumers.
const (
	sparesMost = 2 << 20
	spareMost  = 64 << 10
)

// newDeliveryBatch makes an empty one, in the memory of one that is no longer needed if there
// is any.
func (s *State) newDeliveryBatch() *DeliveryBatch {
	last := len(s.spares) - 1
	if last < 0 {
		return new(DeliveryBatch)
	}
	p := s.spares[last]
	s.spares[last] = nil
	s.spares = s.spares[:last]
	s.spareBytes -= p.footprint()
	return p
}

// spare keeps the memory of a delivery batch that nobody uses now.
func (s *State) spare(p *DeliveryBatch) {
	if n := p.footprint(); n <= spareMost && s.spareBytes+n <= sparesMost {
		p.Reset()
		s.spares = append(s.spares, p)
		s.spareBytes += n
	}
}

// footprint is about how much memory the batch has.
func (p *DeliveryBatch) footprint() int {
	return int(unsafe.Sizeof(*p)) + cap(p.Bytes) + cap(p.Items)*int(unsafe.Sizeof(Item{}))
}

// pack appends an item to a delivery batch.
func (s *State) pack(p *DeliveryBatch, slot uint32, body bool) {
	j := s.job(slot)
	it := Item{Index: j.id(), Pri: j.pri, Size: j.size, TagsAt: uint32(len(p.Bytes))}
	p.Bytes = append(p.Bytes, s.tagsOf(slot)...)
	it.BodyAt = uint32(len(p.Bytes))
	switch {
	case !body:
	case j.away():
		it.away = true
		p.away++
	default:
		var small []byte
		small, it.Large = s.bodies.Get(j.body, j.size)
		p.Bytes = append(p.Bytes, small...)
	}
	it.BodyEnd = uint32(len(p.Bytes))
	p.Items = append(p.Items, it)
}

// Tags are the item's tags.
func (p *DeliveryBatch) Tags(i int) Tags { return Tags(p.Bytes[p.Items[i].TagsAt:p.Items[i].BodyAt]) }

// Small is the item's body, if it is a small one.
func (p *DeliveryBatch) Small(i int) []byte { return p.Bytes[p.Items[i].BodyAt:p.Items[i].BodyEnd] }

// Reset empties the batch and keeps its memory.
func (p *DeliveryBatch) Reset() {
	clear(p.Items)
	*p = DeliveryBatch{Items: p.Items[:0], Bytes: p.Bytes[:0]}
}

// itemWeight is what an item weighs without its body and tags.
const itemWeight = 32

// Weight is what the batch counts for in Limits.MaxUnsent. It is the same before
// bodies that are away have been read, and afterwards.
func (p *DeliveryBatch) Weight() int {
	weight := p.lost
	for i := range p.Items {
		weight += p.Items[i].weight()
	}
	return weight
}

// fill reads the bodies that the batch lacks. It takes out the items whose bodies cannot be read, and tells of each.
func (p *DeliveryBatch) fill(read Reader, lost func(id uint64, err error)) (filled []uint64) {
	kept := p.Items[:0]
	for _, i := range p.Items {
		if i.away {
			i.away = false
			body, err := read(i.Index, i.Size)
			if err != nil {
				lost(i.Index, err)
				p.lost += i.weight()
				continue
			}
			i.Large = [][]byte{body}
			filled = append(filled, i.Index)
		}
		kept = append(kept, i)
	}
	clear(p.Items[len(kept):])
	p.Items, p.away = kept, 0
	return filled
}

func (i *Item) weight() int { return itemWeight + int(i.Size) + int(i.BodyAt-i.TagsAt) }

// What a consumer is sent may lack bodies that are only in the log. The goroutine that
// runs the queue has them read before the batch leaves. Meanwhile the consumer is pushed
// nothing, because that would overtake it. Fetch returns the operation that lets
// the consumer go on; with auto-commit, the items are done only then.

// To is the receiver of the batch.
func (p *DeliveryBatch) To() Receiver { return p.to }

// Lacking says whether the batch lacks bodies.
func (p *DeliveryBatch) Lacking() bool { return p.away > 0 }

// Fetch reads the bodies that the batch lacks. Items whose bodies cannot be read are
// taken out. It returns the operation that the shard must apply when the batch has been
// received. Fetch is called once, by any goroutine.
func (p *DeliveryBatch) Fetch(read Reader) *Batch {
	f := &fetched{consumer: p.consumer, to: p.to}
	f.read = p.fill(read, func(id uint64, err error) {
		if errors.Is(err, storage.ErrUnreadable) || errors.Is(err, storage.ErrNoBody) {
			f.lost = append(f.lost, id)
		}
	})
	return &Batch{Ops: []Op{{Kind: Service, Ask: &Ask{What: askFetched, fetched: f}}}}
}

// fetched is what became of the bodies that a delivery batch lacked.
type fetched struct {
	consumer   *consumer
	to         Receiver
	read, lost []uint64
}

// askFetched goes on with a consumer whose delivery batch has its bodies now.
func (s *State) askFetched(_ *Batch, op *Op) Status {
	f := op.Ask.fetched
	c := f.consumer
	for _, id := range f.lost {
		if slot := s.slotOf(id); slot != 0 && s.pendingAt(c.group, slot) == c {
			s.setItemAside(c, slot)
		}
	}
	if c.to == nil || c.to != f.to {
		return OK // its items are still pending, and others will be sent them
	}
	c.fetching = false
	s.wake(c)
	for _, id := range f.read {
		if slot := s.slotOf(id); c.autoCommit && slot != 0 && s.pendingAt(c.group, slot) == c {
			s.doneWith(c.group, slot)
		}
	}
	return OK
}

// setItemAside buries an item that a consumer was to get and that nobody can read, for beanstalk clients to see. Its
// group is done with it.
func (s *State) setItemAside(c *consumer, slot uint32) {
	if s.job(slot).state() == Passed {
		s.unpass(slot)
		s.buryDamaged(slot)
	} else {
		s.setAside(&c.client, s.job(slot).id())
	}
	if w := c.group.view; w != nil {
		s.viewEnds(w, slot)
	}
}
