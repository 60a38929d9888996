package router

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// forgetful is a store that says it keeps everything, and keeps nothing.
type forgetful struct{ storage.Store }

func (forgetful) Durable() bool { return true }

// A reserve over several shards passes jobs whose bodies are lost, as one in a
// single shard does, and takes none of them.
func TestClaimOfALostBody(t *testing.T) {
	r := must.Get(New(Options{Shards: 2, Store: forgetful{storage.Memory()}, Budget: 2}))
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
	c.close()
	must.Do(t, r.Close())
}
