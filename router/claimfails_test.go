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
	run := &restartRun{router: r}
	c := run.driven(t, "a")
	home, other := c.session.UsedShard(), ""
	for _, name := range restartTubes {
		if r.TubeShard([]byte(name)) != home {
			other = name
		}
	}
	must.Do(t, c.complete(c.session.Watch([]byte(other))))
	for range 3 {
		c.do(t, home, queue.Op{Kind: queue.Put, ID: c.session.NewID(), TTR: 60, Size: 5, Data: []byte("hello")})
	}
	must.Do(t, c.complete(c.session.Reserve(true)))
	if got := c.session.Reservation.Status; got != queue.TimedOut {
		t.Errorf("the reserve ends with %v, job %d", got, c.session.Reservation.ID)
	}
	must.Do(t, c.complete(c.session.CountAll(nil)))
	if sums := c.session.Sums; sums.Reserved != 0 || sums.Buried != 3 || sums.Damaged != 3 {
		t.Errorf("afterwards %+v", sums)
	}
	run.close(t, c)
}
