package queue

import (
	"errors"

	"beanfield/storage"
)

// What a consumer is sent may lack bodies that are only in the log. The goroutine that
// runs the queue has them read before the parcel leaves. Meanwhile the consumer is pushed
// nothing, because that would overtake the parcel. Fetch returns the operation that lets
// the consumer go on; with auto-commit, the items are done only then.

// To is the receiver of the parcel.
func (p *Parcel) To() Receiver { return p.to }

// Lacking says whether the parcel lacks bodies.
func (p *Parcel) Lacking() bool { return p.away > 0 }

// Fetch reads the bodies that the parcel lacks. Items whose bodies cannot be read are
// taken out. It returns the operation that the shard must apply when the parcel has been
// received. Fetch is called once, by any goroutine.
func (p *Parcel) Fetch(log storage.Log) *Batch {
	f := &fetched{consumer: p.consumer, to: p.to}
	kept := p.Items[:0]
	for _, i := range p.Items {
		if i.away {
			i.away = false
			body, err := log.Body(i.Index, make([]byte, 0, i.Size))
			if err != nil {
				if errors.Is(err, storage.ErrUnreadable) || errors.Is(err, storage.ErrNoBody) {
					f.lost = append(f.lost, i.Index)
				}
				p.lost += i.weight()
				continue
			}
			i.Large = [][]byte{body}
			f.read = append(f.read, i.Index)
		}
		kept = append(kept, i)
	}
	clear(p.Items[len(kept):])
	p.Items, p.away = kept, 0
	return &Batch{Ops: []Op{{Kind: Service, Ask: &Ask{What: askFetched, fetched: f}}}}
}

// fetched is what became of the bodies that a parcel lacked.
type fetched struct {
	consumer   *consumer
	to         Receiver
	read, lost []uint64
}

// askFetched goes on with a consumer whose parcel has its bodies now.
func (s *State) askFetched(now int64, op *Op) {
	op.Status = OK
	f := op.Ask.fetched
	c := f.consumer
	if c.group.view != nil {
		s.viewFetched(now, f)
		return
	}
	for _, id := range f.lost {
		if slot := s.index.find(&s.jobs, id); slot != 0 && s.holderOf(slot) == c {
			aside := Op{Kind: SetAside, ID: id}
			s.setAside(&c.client, &aside)
		}
	}
	if c.to == nil || c.to != f.to {
		return // its items are still pending, and others will be sent them
	}
	c.fetching = false
	s.wake(c)
	if !c.autoCommit {
		return
	}
	for _, id := range f.read {
		if slot := s.index.find(&s.jobs, id); slot != 0 && s.holderOf(slot) == c {
			s.unhold(slot)
			s.finish(now, slot)
		}
	}
}
