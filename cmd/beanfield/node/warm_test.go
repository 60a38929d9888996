package node

import (
	"io"
	"log/slog"
	"testing"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
	"beanfield/storage/turns"
)

// pair is two nodes with copies of one shard. What is appended at once counts, and both have it.
type pair struct {
	t               *testing.T
	owner, follower *pebblestore.Replicas
	log             storage.Log // the owner's
	last            turns.Place
	lastID          uint64
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t, last: turns.Place{Origin: 1}}
	for _, r := range []**pebblestore.Replicas{&p.owner, &p.follower} {
		*r = must.Get(pebblestore.OpenReplicas(pebblestore.ReplicaOptions{
			Options: pebblestore.Options{Dir: t.TempDir(), MinFree: -1, Ballast: -1,
				Logger: slog.New(slog.NewTextHandler(io.Discard, nil))},
			Cluster: "c", Origins: []turns.Place{p.last},
		}))
		t.Cleanup(func() { must.Do(t, (*r).Close()) })
	}
	s := p.owner.Serve(p.upstream)
	p.log = must.Get(s.Open(1, nil))[0]
	t.Cleanup(func() { must.Do(t, s.Close()) })
	return p
}

func (p *pair) upstream(int) pebblestore.Upstream { return p }

// Append implements pebblestore.Upstream.
func (p *pair) Append(b []byte) error {
	data, hash := turns.Append(nil, turns.Record{Origin: 1, Epoch: 1, Number: p.last.Number + 1, Before: p.last.Hash,
		Turns: b})
	rec, _, _, err := turns.Decode(data)
	p.last.Number, p.last.Hash = rec.Number, hash
	for _, r := range []*pebblestore.Replicas{p.owner, p.follower} {
		if err == nil {
			err = r.Take(0, rec, data, hash)
		}
	}
	return err
}

func (p *pair) Holds() bool { return true }

type acked chan error

func (c acked) Committed(err error) { c <- err }

func (p *pair) commit() {
	p.t.Helper()
	if done := make(acked, 1); !p.log.Commit(done) {
		must.Do(p.t, <-done)
	}
}

// put and end are turns of the owner.
func (p *pair) put(n int) {
	p.t.Helper()
	for range n {
		p.lastID++
		p.log.Put(&storage.Job{ID: p.lastID, Tube: "default", State: storage.Ready, Size: 4}, []byte("body"))
		p.commit()
	}
}

func (p *pair) end(id uint64) {
	p.t.Helper()
	p.log.Delete(&storage.Job{ID: id, Tube: "default", Size: 4})
	p.commit()
}

func (p *pair) newWarm() *warm {
	return newWarm(p.follower, router.Options{Shards: 1}, slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// has checks which jobs a router has.
func (p *pair) has(r *router.Router, want func(id uint64) bool) {
	p.t.Helper()
	for id := uint64(1); id <= p.lastID; id++ {
		if _, ok := r.Owner(id); ok != want(id) {
			p.t.Errorf("job %d: the router has it: %v", id, ok)
		}
	}
}

// What is kept ready has all jobs that there are when it is taken, and no others. Thrown away, it can be
// made again.
func TestWarmHasAllJobs(t *testing.T) {
	p := newPair(t)
	for range 3 {
		p.put(20)
		w := p.newWarm()
		p.put(20)
		p.end(p.lastID)
		p.end(p.lastID - 30)
		w.end()
		w.discard()
	}
	w := p.newWarm()
	p.put(5)
	w.end()
	p.put(5)
	p.end(1)
	r := w.take(p.upstream)
	if r == nil {
		t.Fatal("nothing is ready")
	}
	p.has(r, func(id uint64) bool { return id != 1 && (id > 120 || id%40 != 0 && id%40 != 10) })
	must.Do(t, r.Close())
	w.discard() // nothing
}

// If more has changed than can be made up for, nothing is ready, and the store is opened as ever.
func TestWarmOfTooMuchChange(t *testing.T) {
	p := newPair(t)
	p.put(3)
	w := p.newWarm()
	w.end()
	p.log.PutQueue(&storage.Queue{Tube: "default", First: "g"})
	p.commit()
	if w.take(p.upstream) != nil {
		t.Fatal("a router is ready that does not know of a queue")
	}
	r := must.Get(router.New(router.Options{Shards: 1, Store: p.follower.Serve(p.upstream)}))
	p.has(r, func(uint64) bool { return true })
	must.Do(t, r.Close())
}
