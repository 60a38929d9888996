package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// wrapped is a store with other logs, and says that it keeps everything.
type wrapped struct {
	storage.Store
	wrap func(i int, l storage.Log) storage.Log
}

func (wrapped) Durable() bool { return true }

func (w wrapped) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := w.Store.Open(n, shardOf)
	for i, l := range logs {
		logs[i] = w.wrap(i, l)
	}
	return logs, err
}

// A reserve over several shards passes jobs whose bodies are lost, as one in a
// single shard does, and takes none of them.
func TestClaimOfALostBody(t *testing.T) {
	forgetful := wrapped{storage.Memory(), func(_ int, l storage.Log) storage.Log { return l }}
	r := must.Get(New(Options{Shards: 2, Store: forgetful, Budget: 2}))
	c := newClient(r)
	watchAll(r, c)
	for range 3 {
		c.put(0, 60)
	}
	c.Finish(c.Reserve(true))
	if got := c.Reservation.Status; got != queue.TimedOut {
		t.Errorf("the reserve ends with %v, job %d", got, c.Reservation.ID)
	}
	c.Finish(c.CountAll(nil))
	if sums := c.Sums; sums.Reserved != 0 || sums.Buried != 3 || sums.Damaged != 3 {
		t.Errorf("afterwards %+v", sums)
	}
	end(t, r, c)
}

// A reserve that others are always quicker than lets those in who share its owner, and goes on afterwards.
func TestReserveThatKeepsLosing(t *testing.T) {
	for name, reserve := range map[string]func(*player) bool{
		"one":     func(p *player) bool { return p.Reserve(true) },
		"several": func(p *player) bool { return p.ReserveSeveral(3, nil, true) },
	} {
		d := newBed(2)
		p := d.newPlayer("p").watchOnly(d.tube(0, 0), d.tube(1, 0))
		const rounds = 3*mostLost + 1
		job, put := uint64(0), 0
		next := func() {
			if put++; put <= rounds {
				op, _ := d.shards[0].ask(queue.Op{Kind: queue.Put, Tube: d.tube(0, 0), TTR: 9})
				job = op.ID
			}
		}
		d.shards[0].ran = func(b *queue.Batch) {
			switch b.Ops[0].Kind {
			case queue.Offer, queue.OfferSeveral:
				d.shards[0].ask(queue.Op{Kind: queue.Delete, ID: job})
			case queue.Claim, queue.ClaimSeveral:
				next()
			}
		}
		next()
		rests := 0
		for done := reserve(p); !done; done = p.Resume() {
			rests++
		}
		if rests != 3 || put != rounds+1 || p.Reservation.Status != queue.TimedOut {
			t.Errorf("%s: after %d jobs, and %d rests, the reserve ends with %v", name, put-1, rests,
				p.Reservation.Status)
		}
	}
}
