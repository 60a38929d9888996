package router

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// Prepared is a router that is made ready while another machine owns the shards: it has all jobs, follows
// what becomes of them, and can begin at any moment. One goroutine calls its methods.
type Prepared struct {
	r     *Router
	store storage.Moving
}

// ErrAnew says that too much has changed: a router has to be made anew.
var ErrAnew = errors.New("router: more has changed than can be made up for")

// Prepare recovers what the store has by now.
func Prepare(o Options, store storage.Moving) (*Prepared, error) {
	o.Store = store
	r, err := recovered(o, queue.Config{})
	if err != nil {
		return nil, err
	}
	return &Prepared{r, store}, nil
}

// CatchUp makes up for what has changed since the last time. After an error only Close may be called.
func (p *Prepared) CatchUp() error {
	errs := make([]error, len(p.r.states))
	highest := make([]uint64, len(p.r.states))
	var all sync.WaitGroup
	for i, s := range p.r.states {
		all.Go(func() {
			now := p.r.Now()
			ok, err := p.store.Amend(i, s.AmendQueue, func(key uint64, j *storage.Job, body []byte) {
				id := storage.IDOf(key)
				highest[i] = max(highest[i], id)
				s.Discard(key)
				if j != nil {
					s.Restore(now, j, body)
				}
				// Other shards may have copies of it; those that have come are left to reconcile.
				switch owner, owned := p.r.ids.find(id); {
				case s.Resident(id):
					p.r.ids.adopt(id, i)
				case owned && owner == i:
					p.r.ids.disown(id)
				}
			})
			switch {
			case err != nil:
				errs[i] = fmt.Errorf("shard %d: %w", i, err)
			case !ok:
				errs[i] = ErrAnew
			}
		})
	}
	all.Wait()
	p.r.highest = max(p.r.highest, slices.Max(highest))
	return errors.Join(errs...)
}

// Begin is the router, when nothing changes but by it any more. After an error only Close may be called.
func (p *Prepared) Begin() (*Router, error) {
	err := p.CatchUp()
	if err == nil {
		err = p.store.Settled()
	}
	if err != nil {
		return nil, err
	}
	p.r.begin(newShard)
	return p.r, nil
}

// Close throws it away.
func (p *Prepared) Close() error { return p.store.Close() }
